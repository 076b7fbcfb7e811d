import fc from 'fast-check';

export type SecretSample = { name: string; line: string; body: string; expected: string };

const LETTERS = 'Kq4TzR8bWm2YxP7cVn5JdL9gHs3FaU6eBi1XoEkDtMwNZyGpQrCvSjAhuIfl';

/** Letters and digits that look random; the same for the same numbers. */
function body(length: number, seed: number): string {
  return Array.from(
    { length },
    (_, at) => LETTERS[(at * 13 + seed * 17 + ((at * at) % 7)) % LETTERS.length],
  ).join('');
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Lines with look-alikes of secrets, made of parts so that no scanner takes this file for a leak. */
export function secretSamples(): SecretSample[] {
  const sample = (
    name: string,
    before: string,
    lead: string,
    secret: string,
    after: string,
  ): SecretSample => ({
    name,
    line: before + lead + secret + after,
    body: secret,
    expected: `${before}${lead}[redacted]${after}`,
  });
  const claims = `${base64url(`{"sub":"${body(24, 1)}"}`)}.${body(43, 2)}`;
  const header = base64url('{"alg":"HS256"}').slice(3);
  const key = Array.from({ length: 4 }, (_, row) => body(64, 30 + row)).join('\n');
  return [
    sample('a GitHub token', 'remote: token ', 'gh' + 'p_', body(36, 3), ' ok'),
    sample('a GitHub app token', 'GH_TOKEN=', 'gh' + 's_', body(36, 4), ''),
    sample(
      'a fine-grained GitHub token',
      '{"token":"',
      'github' + '_pat_',
      `${body(22, 5)}_${body(59, 6)}`,
      '"}',
    ),
    sample('an Anthropic key', 'key ', 'sk-' + 'ant-', `api03-${body(80, 7)}-${body(12, 8)}AA`, ' end'),
    sample('an OpenAI key', 'export OPENAI=', 'sk-' + 'proj-', body(60, 9), ''),
    sample('an AWS key id', 'AWS_ACCESS_KEY_ID=', 'AK' + 'IA', body(16, 10).toUpperCase(), ' x'),
    sample('an npm token', 'token ', 'npm' + '_', body(36, 11), ';'),
    sample('a Slack token', 'slack ', 'xox' + 'b-', `${'1'.repeat(11)}-${body(24, 12)}`, ' sent'),
    sample('a web token', 'Cookie: session=', 'ey' + 'J', `${header}.${claims}`, '; path=/'),
    sample('a bearer header', 'curl -H "', 'Authorization: Bearer ', body(40, 13), '" x'),
    sample(
      'a basic header',
      'http.extraHeader="',
      'Authorization: Basic ',
      Buffer.from(`x:${body(36, 14)}`).toString('base64'),
      '" fetch',
    ),
    sample('a password in an address', 'postgres', '://app:', body(20, 15), '@db.internal/app'),
    sample('a token in a query', 'GET /user?', 'access_token=', body(36, 16), '&x=1'),
    sample(
      'a private key',
      'key:\n',
      `-----BEGIN OPENSSH PRIVATE ${'KEY'}-----\n`,
      key,
      `\n-----END OPENSSH PRIVATE ${'KEY'}----- next`,
    ),
  ];
}

/** A token of any kind that is known: what may be shown of it, what may not, and what must follow for it to be one. */
export type CatalogueToken = { lead: string; secret: string; follows: string };

/** Spread evenly: what fast-check makes is seldom random enough for a secret, and becomes less so as it shrinks. */
const characters = (alphabet: string, least: number, most = least): fc.Arbitrary<string> =>
  fc.tuple(fc.integer(), fc.integer({ min: least, max: most })).map(([seed, length]) => {
    let state = seed ^ 0x9e3779b9;
    return Array.from({ length }, () => {
      state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5;
      state ^= state >>> 13;
      return alphabet[(state >>> 8) % alphabet.length];
    }).join('');
  });

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHANUMERIC = LOWER + LOWER.toUpperCase() + DIGITS;
const BASE64URL = `${ALPHANUMERIC}-_`;

export function catalogueTokens(): fc.Arbitrary<CatalogueToken> {
  const kind = (
    leads: readonly string[],
    secret: fc.Arbitrary<string>,
    follows = '',
  ): fc.Arbitrary<CatalogueToken> =>
    fc.record({ lead: fc.constantFrom(...leads), secret, follows: fc.constant(follows) });
  const parts = (separator: string, ...all: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...all).map((each) => each.join(separator));
  const rows = fc
    .tuple(fc.integer({ min: 4, max: 40 }), fc.constantFrom(64, 70, 76))
    .chain(([count, width]) =>
      fc
        .array(characters(`${ALPHANUMERIC}+/`, width), { minLength: count, maxLength: count })
        .map((lines) => `${lines.join('\n')}\nAbC1+def/Gh=`),
    );
  const header = (name: string): string => `-----BEGIN ${name}PRIVATE ${'KEY'}-----\n`;
  return fc.oneof(
    kind(['gh' + 'p_', 'gh' + 's_', 'gh' + 'o_'], characters(ALPHANUMERIC, 36)),
    kind(['github' + '_pat_'], parts('_', characters(ALPHANUMERIC, 22), characters(ALPHANUMERIC, 59))),
    kind(['gl' + 'pat-'], characters(BASE64URL, 20)),
    kind(['np' + 'm_'], characters(ALPHANUMERIC, 36)),
    kind(
      ['sk-' + 'ant-'],
      characters(BASE64URL, 93).map((body) => `api03-${body}AA`),
    ),
    kind(['sk-' + 'proj-', 'sk-' + 'svcacct-'], characters(BASE64URL, 124)),
    kind(['sk-'], characters(ALPHANUMERIC, 48)),
    kind(['AK' + 'IA', 'AS' + 'IA'], characters(LOWER.toUpperCase() + DIGITS, 16)),
    kind(
      ['xox' + 'b-', 'xox' + 'p-'],
      parts('-', characters(DIGITS, 12), characters(DIGITS, 12), characters(ALPHANUMERIC, 24)),
    ),
    kind(
      ['xa' + 'pp-'],
      parts('-', characters(DIGITS, 1), characters(DIGITS, 11), characters(`${LOWER}${DIGITS}`, 64)),
    ),
    kind(['sk' + '_live_', 'rk' + '_live_'], characters(ALPHANUMERIC, 24, 99)),
    kind(['AI' + 'za'], characters(BASE64URL, 35)),
    kind(['hf' + '_'], characters(ALPHANUMERIC, 34)),
    kind(
      ['ey' + 'J'],
      parts('.', characters(ALPHANUMERIC, 17, 60), characters(BASE64URL, 20, 300), characters(BASE64URL, 43)),
    ),
    kind(['postgres://app:'], characters(ALPHANUMERIC, 20, 40), '@db.internal/app'),
    kind(['Authorization: Bearer ', 'authorization: token '], characters(ALPHANUMERIC, 40)),
    kind([header(''), header('RSA '), header('OPENSSH ')], rows, `\n-----END PRIVATE ${'KEY'}-----`),
  );
}
