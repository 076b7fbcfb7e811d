import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

it('names only files and folders that are there', () => {
  const paths = [...page.matchAll(/(?:src|e2e|docs|scripts|bin)\/[\w./-]*[\w/]/g)].map(([path]) => path);
  expect(paths.length).toBeGreaterThan(25);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('names only scripts that are there', () => {
  const names = [...page.matchAll(/npm (?:run )?([a-z][\w:]*)/g)].map(([, name]) => name ?? '');
  const own = new Set([...Object.keys(scripts), 'ci']);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !own.has(name))).toEqual([]);
});

it('names what the files of its examples hold', () => {
  const holds = (file: string, text: string): boolean =>
    readFileSync(join(ROOT, file), 'utf8').includes(text);
  expect(holds('src/main/agents/registry.ts', 'KNOWN_COMMANDS')).toBe(true);
  expect(holds('src/main/gate/builtin/names.ts', "'merge-markers'")).toBe(true);
  expect(holds('src/shared/contract.ts', "'repository.inspect'")).toBe(true);
  expect(holds('src/renderer/state/ui-store.ts', 'VIEWS')).toBe(true);
});
