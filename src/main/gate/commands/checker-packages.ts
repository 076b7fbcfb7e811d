import { z } from 'zod';

/** Packages and programs that decide about code: who replaces one decides himself. */
const CHECKERS = new Set(
  'typescript tsc vue-tsc svelte-check eslint @biomejs/biome biome oxlint oxlint-cli prettier stylelint xo standard vitest jest ts-jest babel-jest mocha ava tap tape uvu @playwright/test playwright cypress karma jasmine c8 nyc tsx ts-node turbo nx lerna npm-run-all run-s run-p concurrently cross-env vite webpack rollup esbuild'.split(
    ' ',
  ),
);
export const isChecker = (name: string): boolean => CHECKERS.has(name);

/** A source other than a version or range of the package of that name. */
const ELSEWHERE =
  /^(file|link|portal|git(\+\w+)?|https?|ssh|npm|patch|exec|github|gitlab|bitbucket):|^[\w-]+\/[\w.-]+(#|$)/;

const text = z.record(z.string(), z.unknown()).catch({});
const manifest = z.object({
  name: z.string().optional().catch(undefined),
  bin: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .catch(undefined),
  dependencies: text,
  devDependencies: text,
  optionalDependencies: text,
  overrides: text,
  resolutions: text,
});

function replaced(whole: unknown): Map<string, string> {
  const found = new Map<string, string>();
  const checked = manifest.safeParse(whole ?? {});
  if (!checked.success) return found;
  const { name, bin, ...lists } = checked.data;
  for (const [list, entries] of Object.entries(lists)) {
    for (const [key, value] of Object.entries(entries)) {
      const own =
        key
          .split('>')
          .at(-1)
          ?.replace(/(?<=.)@.*$/, '') ?? key;
      if (CHECKERS.has(own) && (typeof value !== 'string' || ELSEWHERE.test(value)))
        found.set(`${list} ${key}`, JSON.stringify(value));
    }
  }
  if (name !== undefined && CHECKERS.has(name)) found.set('name', name);
  for (const key of typeof bin === 'object' ? Object.keys(bin) : [])
    if (CHECKERS.has(key)) found.set(`bin ${key}`, key);
  return found;
}

/** Pure: the dependencies that a package.json itself takes from elsewhere than the registry, or under another name. */
export function fromElsewhere(whole: unknown): Set<string> {
  const checked = manifest.safeParse(whole ?? {});
  if (!checked.success) return new Set();
  const { dependencies, devDependencies, optionalDependencies } = checked.data;
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  return new Set(
    all.flatMap(([name, spec]) => (typeof spec === 'string' && ELSEWHERE.test(spec) ? name : [])),
  );
}

/** Pure: does the newer package.json take a checker from elsewhere, or call itself one, in a way that the older did not? */
export function replacesChecker(before: unknown, after: unknown): boolean {
  const old = replaced(before);
  return [...replaced(after)].some(([key, value]) => old.get(key) !== value);
}
