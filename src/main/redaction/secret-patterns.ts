import { looksLikeWords } from './looks-like-words.ts';

/**
 * What a secret looks like. `lead` is a fixed text that may be shown; what follows is judged by `body`, a sticky expression for
 * the characters it may hold, and is replaced once there are `min` of them. Text comes one byte a character, without colours
 * and line breaks.
 */
export type SecretPattern = {
  /** What a person calls it, where nothing but a credential looks like that. */
  name?: string;
  lead: string;
  ignoreCase?: boolean;
  /** The lead counts only where no letter or digit stands before it. */
  atWordStart?: boolean;
  /** What stands between lead and body, and may be shown: where it ends, `wait` where more must come. */
  opening?: (text: string, from: number, isBreak: (index: number) => boolean) => number | 'wait' | 'no';
  body: RegExp;
  min: number;
  max: number;
  /**
   * Is it all there? Then only what looks random goes on with it in the next line. So many characters at least, or what a
   * function says of the body.
   */
  whole: number | ((body: string) => boolean);
  /** It consists of many lines, and this stands behind its last one. */
  end?: string;
  /** Is a beginning enough to call it a secret where the rest stays away? Asked of the part that is not public. */
  enough?: (body: string) => boolean;
  /** A further condition. Once true for a beginning it must be true for every longer text. */
  accept?: (body: string) => boolean;
  /** The body counts only where this follows. */
  before?: string;
  /** How much of the body's beginning is no secret. Undefined: the body is none at all so far. */
  publicLength?: (body: string) => number | undefined;
  /** What is left behind the body at the end of the text and may still belong to it. */
  mayContinue?: RegExp;
};

const LETTERS_DIGITS = /[A-Za-z0-9]*/y;
const WORD = /[A-Za-z0-9_-]*/y;
const TOKEN = /[A-Za-z0-9+/=_.~-]*/y;
const VALUE = /[^\s&"'#;,<>`\\)\]}\u0000-\u0020]*/y;
/** Base64; several lines of a key may also stand behind each other, a blank between them. */
const KEY = /(?:[A-Za-z0-9+/=]| (?=[A-Za-z0-9+/=]{20}|[A-Za-z0-9+/=]{0,19} ?-----END))*/y;
const MAX_BODY = 4096;
/** More than a key of 16 384 bits has. */
const MAX_KEY = 16 * 1024;

const mixed = (body: string): boolean => /[0-9]/.test(body) && /[A-Za-z]/.test(body);

/** For leads that also stand in ordinary words. */
const random = (body: string): boolean => body.length >= 8 && !looksLikeWords(body);

type Sizes = { min: number; whole: SecretPattern['whole'] };

const exact = (
  name: string,
  leads: readonly string[],
  body: RegExp,
  sizes: Sizes,
  more: Partial<SecretPattern> = {},
): SecretPattern[] => leads.map((lead) => ({ name, lead, body, max: MAX_BODY, ...sizes, ...more }));

/** Names under which all kinds of things are given: only where a name and a value say so. */
const anyCase = (
  leads: readonly string[],
  body: RegExp,
  min: number,
  more: Partial<SecretPattern> = {},
): SecretPattern[] =>
  leads.map((lead) => ({ lead, body, min, whole: min, max: MAX_BODY, ignoreCase: true, ...more }));

/** Three parts, the last one a signature of 32 bytes or more. */
const isWholeWebToken = (body: string): boolean => /^[^.]*\.[^.]*\.[^.]{43}/.test(body);

const KEY_HEADERS = ['', 'RSA', 'EC', 'DSA', 'OPENSSH', 'ENCRYPTED', 'PGP'].map(
  (kind) => `${kind}PRIVATEKEY${kind === 'PGP' ? 'BLOCK' : ''}-`,
);
/** What stands in some keys before their body, one in a line. */
const KEY_FIELD = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID): ?/y;
const KEY_LINE = /[A-Za-z0-9+/=]{16}/y;
const LONGEST_FIELDS = 400;

/** The rest of a key's first line, wherever it is broken, and the fields behind it. */
function keyOpening(text: string, from: number): number | 'wait' | 'no' {
  let rest = '';
  let at = from;
  while (!KEY_HEADERS.includes(rest)) {
    if (at === text.length) return 'wait';
    const character = text.charAt(at);
    if (character !== ' ') rest += character;
    if (at - from > 40 || !KEY_HEADERS.some((header) => header.startsWith(rest))) return 'no';
    at += 1;
  }
  // A dash in a line of its own looks like the mark of a list, and is not here any more.
  for (let dashes = 1; dashes < 5 && text.charAt(at) === '-'; dashes += 1) at += 1;
  if (at === text.length) return 'wait';
  if (text.charAt(at) === ' ') at += 1;
  KEY_FIELD.lastIndex = at;
  if (!KEY_FIELD.test(text)) return at;
  for (let place = KEY_FIELD.lastIndex; place < at + LONGEST_FIELDS; place += 1) {
    if (place === text.length) return 'wait';
    KEY_LINE.lastIndex = place;
    if (KEY_LINE.test(text)) return place;
  }
  return 'no';
}

const SCHEME = /["'\\]{0,4} ?[:=] ?["'\\]{0,4} ?(?:basic|bearer|token)/iy;
const SCHEME_SO_FAR = /^["'\\]{0,4} ?(?:[:=] ?["'\\]{0,4} ?[a-z]{0,6})?$/i;
const LONGEST_SCHEME = 24;

/** From `authorization` to the blank, or the break, behind the kind of credential. */
function schemeOpening(
  text: string,
  from: number,
  isBreak: (index: number) => boolean,
): number | 'wait' | 'no' {
  SCHEME.lastIndex = from;
  if (!SCHEME.test(text)) {
    return text.length - from < LONGEST_SCHEME && SCHEME_SO_FAR.test(text.slice(from)) ? 'wait' : 'no';
  }
  const at = SCHEME.lastIndex;
  if (text.charAt(at) === ' ') return at + 1;
  if (at === text.length) return 'wait';
  return isBreak(at) ? at : 'no';
}

const optionalBlank = (text: string, from: number): number | 'wait' =>
  text.charAt(from) === ' ' ? from + 1 : from === text.length ? 'wait' : from;

const ADDRESS_PORT = /^[^:]*:\d{1,5}$/;

const WORD_START = { atWordStart: true };

/** All kinds that are known: what is taken out of output and, where it has a name, found in what a change adds. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...exact('a GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], LETTERS_DIGITS, {
    min: 30,
    whole: 36,
  }),
  ...exact('a GitHub token', ['github_pat_'], /[A-Za-z0-9_]*/y, { min: 40, whole: 82 }),
  ...exact('a GitLab token', ['glpat-', 'gldt-', 'glrt-'], WORD, { min: 16, whole: 20 }),
  ...exact('an npm token', ['npm_'], LETTERS_DIGITS, { min: 30, whole: 36 }, WORD_START),
  ...exact('an Anthropic key', ['sk-ant-'], WORD, { min: 20, whole: 101 }, WORD_START),
  ...exact(
    'an OpenAI key',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    WORD,
    { min: 20, whole: 124 },
    WORD_START,
  ),
  ...exact('an OpenRouter key', ['sk-or-v1-'], LETTERS_DIGITS, { min: 32, whole: 64 }, WORD_START),
  ...exact(
    'an OpenAI key',
    ['sk-'],
    LETTERS_DIGITS,
    { min: 32, whole: 48 },
    { ...WORD_START, enough: random },
  ),
  ...exact('an AWS key', ['AKIA', 'ASIA'], /[A-Z0-9]*/y, { min: 16, whole: 16 }, { ...WORD_START, max: 16 }),
  ...exact(
    'a Slack token',
    ['xoxa-', 'xoxb-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    /[A-Za-z0-9-]*/y,
    { min: 10, whole: 50 },
    WORD_START,
  ),
  ...exact('a Slack token', ['xapp-'], /[A-Za-z0-9-]*/y, { min: 10, whole: 92 }, WORD_START),
  ...exact(
    'a Stripe key',
    ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'],
    LETTERS_DIGITS,
    { min: 20, whole: 99 },
    WORD_START,
  ),
  ...exact('a Google key', ['AIza'], WORD, { min: 30, whole: 35 }, WORD_START),
  ...exact(
    'a Hugging Face token',
    ['hf_'],
    LETTERS_DIGITS,
    { min: 30, whole: 34 },
    {
      ...WORD_START,
      enough: random,
    },
  ),
  ...exact(
    'a web token',
    ['eyJ'],
    /[A-Za-z0-9_.-]*/y,
    { min: 30, whole: isWholeWebToken },
    {
      ...WORD_START,
      accept: (body) => body.includes('.'),
    },
  ),
  ...exact(
    'a private key',
    ['-----BEGIN'],
    KEY,
    { min: 24, whole: () => false },
    {
      opening: keyOpening,
      max: MAX_KEY,
      end: '-',
      mayContinue: /^(?: [A-Za-z0-9+/=]{0,19} ?-{0,5}E?N?|-{0,4})$/,
    },
  ),
  ...anyCase(['://'], /[^\s/@?#"'<>`\\\u0000-\u0020]*/y, 1, {
    name: 'a password in an address',
    max: 512,
    // A server's name, or one with its port, at the end of a line: no name of a user.
    whole: (body) => (body.includes(':') ? ADDRESS_PORT.test(body) : body.includes('.')),
    before: '@',
    publicLength: (body) => {
      const colon = body.indexOf(':');
      return colon === -1 || colon === body.length - 1 ? undefined : colon + 1;
    },
  }),
  ...anyCase(['authorization'], TOKEN, 12, { opening: schemeOpening }),
  ...anyCase(['x-api-key:', 'private-token:'], TOKEN, 12, { accept: mixed, opening: optionalBlank }),
  ...anyCase(['_authtoken='], VALUE, 12, { name: 'an npm token', accept: mixed }),
  ...anyCase(
    [
      'access_token=',
      'id_token=',
      'refresh_token=',
      'client_secret=',
      'api_key=',
      'apikey=',
      'private_token=',
      'secret_access_key=',
      'secret_access_key =',
    ],
    VALUE,
    12,
    { accept: mixed, opening: optionalBlank },
  ),
];

/** A value of fewer characters stands in ordinary text too often. */
const MIN_SECRET_CHARACTERS = 8;

/** How many characters of a known value may be shown: so few that its beginning need not be held back. */
export const shownOfValue = (value: string): number => Math.min(3, Math.floor(value.length / 4));

/** The forms in which known values appear in output, one byte a character. */
export function knownValues(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    const value = secret.trim();
    if (value.length < MIN_SECRET_CHARACTERS) continue;
    const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '');
    const escaped = JSON.stringify(value).slice(1, -1);
    for (const form of [value, escaped, encodeURIComponent(value), base64(value)]) forms.add(form);
    for (const user of ['x', 'x-access-token', 'oauth2', 'git']) forms.add(base64(`${user}:${value}`));
  }
  return [...forms].map((form) => Buffer.from(form, 'utf8').toString('latin1'));
}
