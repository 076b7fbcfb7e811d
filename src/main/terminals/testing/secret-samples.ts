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
    sample('a password in an address', 'postgres', '://app:', body(20, 15), '@db.example/app'),
    sample('a token in a query', 'GET /user?', 'access_token=', body(36, 16), '&x=1'),
    sample(
      'a private key',
      'key:\n',
      `-----BEGIN OPENSSH PRIVATE ${'KEY'}-----`,
      `\n${key}\n`,
      `-----END OPENSSH PRIVATE ${'KEY'}----- next`,
    ),
  ];
}
