/**
 * What a secret looks like. `lead` is a fixed text that may be shown; what follows is judged by `body`, a sticky expression for
 * the characters it may hold, and is replaced once there are `min` of them. Text comes one byte a character, without colours.
 */
export type SecretPattern = {
  lead: string;
  ignoreCase?: boolean;
  /** The lead counts only where no letter or digit stands before it. */
  atWordStart?: boolean;
  body: RegExp;
  min: number;
  max: number;
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
const MAX_BODY = 4096;

const mixed = (body: string): boolean => /[0-9]/.test(body) && /[A-Za-z]/.test(body);

/** For leads that also stand in ordinary words. */
const random = (body: string): boolean => body.length >= 8 && /[0-9]/.test(body) && /[A-Z]/.test(body);

const exact = (
  leads: readonly string[],
  body: RegExp,
  min: number,
  more: Partial<SecretPattern> = {},
): SecretPattern[] => leads.map((lead) => ({ lead, body, min, max: MAX_BODY, ...more }));

const anyCase = (
  leads: readonly string[],
  body: RegExp,
  min: number,
  more: Partial<SecretPattern> = {},
): SecretPattern[] => leads.map((lead) => ({ lead, body, min, max: MAX_BODY, ignoreCase: true, ...more }));

const KEY_KINDS = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'PGP '];
const keyHeader = (kind: string): string =>
  `-----BEGIN ${kind}PRIVATE KEY${kind === 'PGP ' ? ' BLOCK' : ''}-----`;

const SEPARATORS = [': ', ':', '=', '": "', '":"', "': '", '\\": \\"'];
const authorization = SEPARATORS.flatMap((separator) =>
  ['basic ', 'bearer ', 'token '].map((scheme) => `authorization${separator}${scheme}`),
);

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...exact(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], LETTERS_DIGITS, 30),
  ...exact(['github_pat_'], /[A-Za-z0-9_]*/y, 40),
  ...exact(['glpat-'], WORD, 16),
  ...exact(['npm_'], LETTERS_DIGITS, 30, { atWordStart: true }),
  ...exact(['sk-ant-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-'], WORD, 20, { atWordStart: true }),
  ...exact(['sk-'], LETTERS_DIGITS, 32, { atWordStart: true, enough: random }),
  ...exact(['AKIA', 'ASIA'], /[A-Z0-9]*/y, 16, { atWordStart: true, max: 16 }),
  ...exact(['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xapp-'], /[A-Za-z0-9-]*/y, 10, {
    atWordStart: true,
  }),
  ...exact(['AIza'], WORD, 30, { atWordStart: true }),
  ...exact(['hf_'], LETTERS_DIGITS, 30, { atWordStart: true, enough: random }),
  ...exact(['eyJ'], /[A-Za-z0-9_.-]*/y, 30, {
    atWordStart: true,
    accept: (body) => body.includes('.'),
  }),
  ...KEY_KINDS.flatMap((kind) =>
    exact([keyHeader(kind)], /(?:[A-Za-z0-9+/=\s,:.\\]|-(?!----)(?!-{0,3}$))*/y, 0, {
      max: 32 * 1024,
      mayContinue: /^-{0,4}$/,
    }),
  ),
  ...anyCase(['://'], /[^\s/@?#"'<>`\\\u0000-\u0020]*/y, 1, {
    max: 512,
    before: '@',
    publicLength: (body) => {
      const colon = body.indexOf(':');
      return colon === -1 || colon === body.length - 1 ? undefined : colon + 1;
    },
  }),
  ...anyCase(authorization, TOKEN, 12),
  ...anyCase(['x-api-key: ', 'x-api-key:', 'private-token: '], TOKEN, 12, { accept: mixed }),
  ...anyCase(
    [
      'access_token=',
      '_authtoken=',
      'id_token=',
      'refresh_token=',
      'client_secret=',
      'api_key=',
      'apikey=',
      'private_token=',
      'secret_access_key=',
      'secret_access_key = ',
    ],
    VALUE,
    12,
    { accept: mixed },
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
