/* Runs a benchmark: node scripts/bench.mjs NAME [its own arguments] */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const names = readdirSync(join(ROOT, 'bench'), { withFileTypes: true })
  .filter((entry) => entry.isFile() && /^[\w-]+\.ts$/.test(entry.name))
  .map((entry) => entry.name.replace(/\.ts$/, ''))
  .sort();

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  const problem = name === undefined ? 'name a benchmark' : `${name}: no such benchmark`;
  console.error(`${problem}; there are ${names.join(', ')}`);
  process.exit(2);
}

// TypeScript is read as it is by this package's own Node; the one that started us may be older.
const PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
const { status, error } = spawnSync('node', [join(ROOT, 'bench', `${name}.ts`), ...rest], {
  cwd: ROOT,
  env: { ...process.env, PATH },
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (error) console.error(`node could not be started: ${error.message}`);
process.exitCode = status ?? 1;
