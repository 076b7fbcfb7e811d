const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** The path in a `+++ b/…` line of a patch, also where git has quoted it; undefined for a deleted file. */
export function patchPath(line: string): string | undefined {
  const rest = line.slice('+++ '.length);
  if (rest.startsWith('b/')) return rest.slice(2).replace(/\t$/, '');
  const quoted = /^"b\/(.*)"\t?$/.exec(rest)?.[1];
  if (quoted === undefined) return undefined;
  const bytes: number[] = [];
  for (const [part, octal, letter] of quoted.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(part));
  }
  return Buffer.from(bytes).toString('utf8');
}
