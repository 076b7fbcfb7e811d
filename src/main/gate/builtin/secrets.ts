import type { BuiltinResult, BuiltinTree, Problem } from './problems.ts';

/** Forms that nothing but a credential has. */
const SECRETS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:RSA |EC |DSA |OPENSSH |PGP )?PRIVATE KEY(?: BLOCK)?-----/],
  ['an Anthropic key', /\bsk-ant-[\w-]{20,}/],
  ['an OpenAI key', /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{50,})\b/],
  ['a GitLab token', /\bglpat-[\w-]{20,}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b|_authToken=(?!\$)[\w-]{20,}/],
  ['an AWS key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a Google key', /\bAIza[\w-]{35}\b/],
  ['a Slack token', /\bxox[abposr]-[\w-]{20,}/],
  ['a Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  [
    'a password in an address',
    /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"'`$<{]+:(?!\*|x{3}|password|pass\b|secret|<|\$|\{|%)[^\s:/@"'`]{6,}@[\w.-]+/i,
  ],
];

/** Pure: credentials in the lines that were added, or in the whole tree where no base is known. The value is not repeated. */
export function checkSecrets(tree: BuiltinTree): BuiltinResult {
  const problems: Problem[] = [];
  let count = 0;
  const look = (path: string, line: number, text: string): void => {
    count += 1;
    if (text.length > 20_000) return; // a bundle or data, not a line that a person wrote
    const found = SECRETS.find(([, pattern]) => pattern.test(text));
    if (found && !/\b(example|dummy|placeholder|fake|redacted)\b/i.test(text))
      problems.push({ path, line, message: `holds ${found[0]}` });
  };
  if (tree.added)
    for (const [path, lines] of tree.added) for (const { line, text } of lines) look(path, line, text);
  else {
    for (const path of tree.files) {
      for (const [index, text] of (tree.read(path) ?? '').split('\n').entries()) look(path, index + 1, text);
    }
  }
  return {
    problems,
    looked: `${count} ${tree.added ? 'added ' : ''}lines`,
    count: tree.added ? Math.max(1, count) : count,
  };
}
