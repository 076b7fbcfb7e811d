import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_COLUMNS = 120;

/** Rules for one line of code; comments and texts are blanked out beforehand. */
const LINE_RULES = [
  { name: 'no-any', pattern: /(?:\bas|:|<|,)\s*any\b/, message: 'say which type it is, or unknown' },
  { name: 'no-var', pattern: /^\s*(?:export\s+)?var\s/, message: 'use const or let' },
  { name: 'no-console', pattern: /\bconsole\s*\./, message: 'a library does not print' },
  { name: 'no-debugger', pattern: /\bdebugger\b/, message: 'remove it' },
  { name: 'no-loose-equality', pattern: /[^=!]==[^=]|!=[^=]/, message: 'use === or !==' },
  { name: 'no-default-export', pattern: /\bexport\s+default\b/, message: 'name what is exported' },
  { name: 'no-only', pattern: /\btest\.(?:only|skip)\b/, message: 'every test runs, always' },
];

/** Blanks comments and the inside of texts, keeping every line and column where it was. */
function codeOnly(source) {
  const blank = (part) => part.replace(/[^\n]/g, ' ');
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    (part) => (part.startsWith('/') ? blank(part) : part[0] + blank(part.slice(1, -1)) + part[0]),
  );
}

function unusedImports(code) {
  const found = [];
  for (const match of code.matchAll(/^import\s+(?:type\s+)?\{([^}]*)\}\s+from/gm)) {
    for (const entry of match[1].split(',')) {
      const name = entry
        .trim()
        .split(/\s+as\s+/)
        .at(-1)
        .replace(/^type\s+/, '');
      if (name === '') continue;
      const uses = code.match(new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`, 'g')) ?? [];
      if (uses.length < 2) found.push({ index: match.index, name });
    }
  }
  return found;
}

function lintText(source) {
  const problems = [];
  const code = codeOnly(source);
  const codeLines = code.split('\n');
  for (const [index, line] of source.split('\n').entries()) {
    const report = (rule, message) => problems.push({ line: index + 1, rule, message });
    if (/\r$/.test(line)) report('line-ends', 'lines end with LF alone');
    if (/[ \t]+\r?$/.test(line)) report('no-trailing-spaces', 'remove the spaces at the end');
    if (/^\s*\t/.test(line)) report('no-tabs', 'indent with two spaces');
    if (line.length > MAX_COLUMNS) report('max-columns', `at most ${MAX_COLUMNS} columns`);
    for (const { name, pattern, message } of LINE_RULES) {
      if (pattern.test(codeLines[index])) report(name, message);
    }
  }
  for (const { index, name } of unusedImports(code)) {
    const line = code.slice(0, index).split('\n').length;
    problems.push({ line, rule: 'no-unused-imports', message: `${name} is not used` });
  }
  if (!source.endsWith('\n') || source.endsWith('\n\n')) {
    problems.push({ line: codeLines.length, rule: 'final-newline', message: 'end with one line end' });
  }
  return problems.sort((a, b) => a.line - b.line);
}

const files = readdirSync(join(ROOT, 'src'))
  .filter((name) => name.endsWith('.ts'))
  .sort();
let count = 0;
for (const name of files) {
  for (const { line, rule, message } of lintText(readFileSync(join(ROOT, 'src', name), 'utf8'))) {
    process.stdout.write(`src/${name}:${line}: ${rule}: ${message}\n`);
    count += 1;
  }
}
process.stdout.write(`${files.length} files checked, ${count} ${count === 1 ? 'problem' : 'problems'}\n`);
process.exitCode = count === 0 ? 0 : 1;
