import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { git } from '../git/git.ts';
import { listFiles, sampleName, sampleResources } from './sample-files.ts';
import { vendorTypescript } from './vendor-typescript.ts';

const IDENTITY = ['-c', 'user.name=Headway sample', '-c', 'user.email=sample@headway.invalid'];

/**
 * Writes the sample: `DIR/repository`, a git repository with one commit on `main`, and `DIR/tickets`. The directory may
 * exist if it is empty. Throws `bad-input` where it is not, or can't be written; nothing is left behind then.
 */
export async function writeSample(dir: string): Promise<{ repository: string; tickets: string }> {
  const root = resolve(dir);
  const existed = await checkEmpty(root);
  const repository = join(root, 'repository');
  const tickets = join(root, 'tickets');
  try {
    const resources = sampleResources();
    await copyAll(join(resources, 'repository'), repository);
    await copyAll(join(resources, 'tickets'), tickets);
    const version = await vendorTypescript(join(repository, 'vendor', 'typescript'));
    await lockVersion(join(repository, 'package-lock.json'), version);
    await commitAll(repository);
  } catch (thrown) {
    for (const path of existed ? [repository, tickets] : [root])
      await rm(path, { recursive: true, force: true });
    throw thrown instanceof HeadwayError ? thrown : unwritable(root, thrown);
  }
  return { repository, tickets };
}

/** Below `samples`: `sample`, or where it is taken `sample-2` and so on. */
export function freshSampleDir(samples: string): string {
  for (let count = 1; ; count += 1) {
    const dir = join(samples, count === 1 ? 'sample' : `sample-${count}`);
    if (!existsSync(dir)) return dir;
  }
}

/** The Markdown of the sample's tickets, in their order. */
export async function readSampleTickets(tickets: string): Promise<{ file: string; text: string }[]> {
  const files = await listFiles(tickets);
  return Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(tickets, file), 'utf8') })),
  );
}

/** False where the directory does not exist yet. */
async function checkEmpty(root: string): Promise<boolean> {
  let entries: string[];
  try {
    entries = await readdir(root);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code === 'ENOTDIR') throw new HeadwayError('bad-input', `${root} is a file; name a new directory`);
    throw unwritable(root, thrown);
  }
  if (entries.length > 0) {
    throw new HeadwayError('bad-input', `${root} is not empty; name a new directory for the sample`);
  }
  return true;
}

function unwritable(root: string, thrown: unknown): HeadwayError {
  return new HeadwayError('bad-input', `the sample can't be written to ${root}: ${toError(thrown).message}`, {
    cause: thrown,
  });
}

async function copyAll(from: string, to: string): Promise<void> {
  for (const path of await listFiles(from)) {
    const target = join(to, sampleName(path));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(from, path), target);
  }
}

/** The lockfile names the compiler's version, which is that of Headway's own. */
async function lockVersion(path: string, version: string): Promise<void> {
  const lock = JSON.parse(await readFile(path, 'utf8'));
  lock.packages['vendor/typescript'].version = version;
  await writeFile(path, `${JSON.stringify(lock, undefined, 2)}\n`);
}

async function commitAll(repository: string): Promise<void> {
  const options = { cwd: repository };
  // No templates: a user's own may bring hooks and excludes.
  await git(['init', '--quiet', '--template=', '--initial-branch=main'], options);
  const has = async (key: string): Promise<boolean> =>
    (await git(['config', '--get', key], { ...options, ok: [0, 1] })).stdout.trim() !== '';
  const known = (await has('user.name')) && (await has('user.email'));
  // Forced: a user's own excludes may name `vendor` or `lib`.
  await git(['add', '--all', '--force'], options);
  await git(
    [
      ...(known ? [] : IDENTITY),
      '-c',
      'commit.gpgSign=false',
      'commit',
      '--quiet',
      '-m',
      'Read and write the formats that people type by hand',
    ],
    options,
  );
}
