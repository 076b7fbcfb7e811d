import { namedSecrets } from '../../redaction/named-secrets.ts';
import type { BuiltinResult, BuiltinTree, Problem } from './problems.ts';

/** Stands where an address shows that a password belongs there. */
const PLACEHOLDER = /^(?:\*|x{3}|password|pass\b|secret|[<$%{])|^.{0,5}$/i;
/** The first line of a key says enough; a change may add no more of it. */
const KEY_HEADER = /-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----/;

function secretIn(text: string): string | undefined {
  if (KEY_HEADER.test(text)) return 'a private key';
  return namedSecrets(text).find(
    ({ name, secret }) => name !== 'a password in an address' || !PLACEHOLDER.test(secret),
  )?.name;
}

/** Pure: credentials in the lines that were added, or in the whole tree where no base is known. The value is not repeated. */
export function checkSecrets(tree: BuiltinTree): BuiltinResult {
  const problems: Problem[] = [];
  let count = 0;
  const look = (path: string, line: number, text: string): void => {
    count += 1;
    if (text.length > 20_000) return; // a bundle or data, not a line that a person wrote
    const found = secretIn(text);
    if (found && !/\b(example|dummy|placeholder|fake|redacted)\b/i.test(text))
      problems.push({ path, line, message: `holds ${found}` });
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
