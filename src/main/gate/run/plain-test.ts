const comments = (text: string): string =>
  text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/(^|[ \t;])\/\/.*$/gm, '$1');

const CHECKS =
  /(?<!console\.)\b(assert|expect)\b(\.\w+)*\s*\(|\bthrow\b|\bprocess\.(exit\(|exitCode\s*=(?!=))/;
/** It leaves before its end, and nobody knows what of it was reached. */
const LEAVES = /\bprocess\.exit\(\s*0?\s*\)/;

/**
 * Pure: is a file of JavaScript or TypeScript a test without any runner: does it assert, throw or set an exit code by itself? `node --test`
 * runs such a file as one test.
 */
export function isPlainTest(text: string): boolean {
  const code = comments(text);
  return CHECKS.test(code) && !LEAVES.test(code) && !/['"]node:test['"]/.test(code);
}
