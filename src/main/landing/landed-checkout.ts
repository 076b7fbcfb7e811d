import { lstat, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../git/git.ts';
import { type Checkout, contentOf, moveCheckout, nameStatus, trackedChanges } from './user-checkout.ts';

/** How a checkout of the base stands after a landing, where it did not follow by itself. */
export type AfterLanding = {
  path: string;
  /** What still differs from what landed; empty: Headway brought the checkout along. */
  files: string[];
};

export type Landed = { base: string; from: string; to: string };

/**
 * Looks at a checkout of the base after the base has moved to `to`: HEAD, index and files. It was clean before, so what
 * differs in the files that landed was left behind; a `push-to-checkout` hook, for one, moves it in git's stead or does not.
 * Brings along what is still as it was at `from` and touches nothing else. Undefined: it stands as it should.
 */
export async function settleCheckout(checkout: Checkout, landed: Landed): Promise<AfterLanding | undefined> {
  if (!(await standsOn(checkout, landed))) return undefined; // somebody switched or committed meanwhile
  const before = await leftBehind(checkout, landed);
  if (before.length === 0) return undefined;
  if (await indexIs(checkout, landed.from)) await moveIndex(checkout, landed);
  if (await indexIs(checkout, landed.to)) await writeFiles(checkout, landed);
  return { path: checkout.path, files: await leftBehind(checkout, landed) };
}

/** Nothing was staged, so no work is in the index alone. Files that somebody has changed since stay as they are. */
async function moveIndex(checkout: Checkout, { from, to }: Landed): Promise<void> {
  if (await moveCheckout(checkout, from, to)) return;
  await git(['read-tree', to], { cwd: checkout.path, ok: [0, 128] });
}

async function standsOn({ path }: Checkout, { base, to }: Landed): Promise<boolean> {
  const [branch, tip] = await Promise.all([
    git(['symbolic-ref', '--quiet', 'HEAD'], { cwd: path, ok: [0, 1, 128] }),
    git(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: path, ok: [0, 1, 128] }),
  ]);
  return branch.stdout.trim() === `refs/heads/${base}` && tip.stdout.trim() === to;
}

async function indexIs({ path }: Checkout, commit: string): Promise<boolean> {
  const { exit } = await git(['diff-index', '--cached', '--quiet', '--ignore-submodules=all', commit, '--'], {
    cwd: path,
    ok: [0, 1, 128],
  });
  return exit === 0;
}

/** Files that landed and are in index or work tree not as they landed. */
async function leftBehind(checkout: Checkout, landed: Landed): Promise<string[]> {
  const changed = new Set(await trackedChanges(checkout.path));
  const { from, to } = landed;
  const paths = await nameStatus({ cwd: checkout.path }, from, to, '--ignore-submodules=all');
  const left = paths.map(({ path }) => path).filter((path) => changed.has(path));
  for (const { path, status } of paths) {
    if (status !== 'D' || changed.has(path) || (await textOf(checkout, path)) === undefined) continue;
    if ((await textOf(checkout, path)) === (await contentOf(checkout.path, from, path))) left.push(path);
  }
  return left;
}

/** Files are written by an index that holds what landed, where they are as they were before. */
async function writeFiles(checkout: Checkout, landed: Landed): Promise<void> {
  const cwd = checkout.path;
  for (const path of await leftBehind(checkout, landed)) {
    const there = await textOf(checkout, path);
    if (there !== (await contentOf(cwd, landed.from, path))) continue;
    if ((await contentOf(cwd, landed.to, path)) === undefined) await rm(join(cwd, path), { force: true });
    else await git(['checkout-index', '-f', '-q', '--', path], { cwd, ok: [0, 1, 128] });
  }
}

/** Undefined: there is no such file. */
async function textOf({ path }: Checkout, file: string): Promise<string | undefined> {
  const found = await lstat(join(path, file)).catch(() => undefined);
  return found?.isFile() ? readFile(join(path, file), 'utf8').catch(() => undefined) : undefined;
}
