import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { git, gitList } from '../git/git.ts';
import type { OutsideState } from './drift.ts';

type Clone = { path: string; gitDir: string };

/**
 * A cheap look at the user's clone, to compare with a later one (see `driftBetween`, `foreignCommits`). Reads only. `base`
 * is kept apart from the refs, because landing moves it.
 */
export async function lookOutside(clone: Clone, base: string): Promise<OutsideState> {
  const [config, refs, head, staged] = await Promise.all([
    readConfig(clone),
    readRefs(clone),
    readHead(clone),
    readStaged(clone),
  ]);
  const branch = `refs/heads/${base}`;
  const tip = refs.get(branch);
  refs.delete(branch);
  return {
    config: config.marks,
    refs,
    base: { name: base, tip },
    head,
    staged,
    hooks: await readHooks(clone, config.hooksPath),
  };
}

async function readConfig({ path }: Clone): Promise<{ marks: Map<string, string>; hooksPath: string }> {
  // Scope and `key LF value` take turns.
  const fields = await gitList(['config', '--list', '-z', '--show-scope'], { cwd: path, hooks: true });
  const values = new Map<string, string[]>();
  let hooksPath = '';
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const scope = fields[index] ?? '';
    if (scope === 'command') continue; // our own -c
    const entry = fields[index + 1] ?? '';
    const end = entry.indexOf('\n');
    const key = end < 0 ? entry : entry.slice(0, end);
    const name = `${scope} ${key}`;
    values.set(name, [...(values.get(name) ?? []), entry.slice(key.length)]);
    if (key === 'core.hookspath') hooksPath = entry.slice(end + 1);
  }
  const marks = new Map([...values].map(([name, all]) => [name, markOf(all.join('\0'))] as const));
  return { marks, hooksPath };
}

async function readRefs({ path }: Clone): Promise<Map<string, string>> {
  const { stdout } = await git(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: path });
  const refs = new Map<string, string>();
  for (const line of stdout.split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    if (name !== '') refs.set(name, commit);
  }
  return refs;
}

async function readHead({ path }: Clone): Promise<string> {
  const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { cwd: path, ok: [0, 1, 128] });
  if (branch.exit === 0) return branch.stdout.trim();
  return (await git(['rev-parse', '--short', 'HEAD'], { cwd: path, ok: [0, 128] })).stdout.trim();
}

/** What is staged against HEAD: a landing moves both, so it stays the same. */
async function readStaged({ path }: Clone): Promise<Map<string, string>> {
  const { exit, stdout } = await git(
    ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=all', 'HEAD', '--'],
    { cwd: path, ok: [0, 1, 128] },
  );
  if (exit === 128) return new Map();
  const fields = stdout.split('\0');
  const staged = new Map<string, string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, , , object = ''] = (fields[index] ?? '').split(' ');
    staged.set(fields[index + 1] ?? '', object);
  }
  return staged;
}

async function readHooks({ path, gitDir }: Clone, hooksPath: string): Promise<Map<string, string>> {
  const own = join(gitDir, 'hooks');
  const other = hooksPath === '' ? [] : [isAbsolute(hooksPath) ? hooksPath : join(path, hooksPath)];
  const hooks = new Map<string, string>();
  for (const directory of [own, ...other]) {
    for (const name of await readdir(directory).catch(() => [] as string[])) {
      if (name.endsWith('.sample')) continue;
      const file = await lstat(join(directory, name)).catch(() => undefined); // gone between the two calls
      if (file)
        hooks.set(
          directory === own ? name : `${hooksPath}/${name}`,
          `${file.size} ${file.mode} ${file.mtimeMs}`,
        );
    }
  }
  return hooks;
}

const markOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
