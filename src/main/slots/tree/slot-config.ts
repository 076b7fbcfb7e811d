import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { deleteTree } from '../../disk/trash.ts';
import { git, gitList } from '../../git/git.ts';
import { CONFIG } from '../../git/slot-guard.ts';
import { readIdentity } from '../../git/user-identity.ts';
import type { SlotPlace } from '../../paths/layout.ts';
import { storeConfig } from './git-directory.ts';

/** Settings of the user's clone that decide how files look in a work tree. Nothing that names a program but filters. */
const COPIED =
  /^(core\.(autocrlf|eol|safecrlf|longpaths|precomposeunicode|protecthfs|protectntfs)|filter\.|lfs\.)/;

/** What a slot must never take from a job, a template or the user's global settings. */
const FIXED: readonly (readonly [string, string])[] = [
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['push.default', 'nothing'],
  ['submodule.recurse', 'false'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.sparseCheckout', 'false'],
  ['core.trustctime', 'true'],
  ['core.checkStat', 'default'],
  ['core.ignoreStat', 'false'],
  ['core.logAllRefUpdates', 'true'],
  ['index.sparse', 'false'],
  // Also those of the user's global settings: a slot's commits are judged by the gate alone.
  ['core.hooksPath', devNull],
];

/** Stands first. A configuration that begins otherwise was written by an older Headway, and its slot is made anew. */
const HEAD = '# Written by Headway, 2\n';

const quote = (value: string): string =>
  `"${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}"`;

/** One setting in the syntax of a git config file. */
export function configEntry(key: string, value: string): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const section = key.slice(0, first);
  const name = key.slice(last + 1);
  const sub = last > first ? ` ${quote(key.slice(first + 1, last))}` : '';
  return `[${section}${sub}]\n\t${name} = ${quote(value)}\n`;
}

async function localSettings(clone: string): Promise<[string, string][]> {
  const list = await gitList(['config', '--list', '--local', '--null', '--includes'], {
    cwd: clone,
    ok: [0, 1],
  });
  return list.map((line) => {
    const cut = line.indexOf('\n');
    return cut < 0 ? [line, 'true'] : [line.slice(0, cut), line.slice(cut + 1)];
  });
}

/**
 * The pristine config of a slot: what git finds out about the file system, the settings of the user's clone that decide
 * how files look, the user's name, and no remote. `scratch` is a directory on the slots' volume.
 */
export async function slotConfig(clone: string, mirror: string, scratch: string): Promise<string> {
  const probe = await mkdtemp(join(scratch, 'probe-'));
  try {
    const format = await git(['rev-parse', '--show-object-format'], { cwd: mirror });
    await git(['init', '--quiet', '--template=', `--object-format=${format.stdout.trim()}`, probe], {
      cwd: scratch,
    });
    const [probed, settings, user] = await Promise.all([
      readFile(join(probe, '.git', 'config'), 'utf8'),
      localSettings(clone),
      readIdentity(clone),
    ]);
    const copied = settings.filter(([key]) => COPIED.test(key));
    const all: (readonly [string, string])[] = [
      ...copied,
      ['user.name', user.name],
      ['user.email', user.email],
      ...FIXED,
    ];
    return HEAD + probed + all.map(([key, value]) => configEntry(key, value)).join('');
  } finally {
    await deleteTree(probe);
  }
}

const withoutUser = (config: string): string => config.replace(/^\[user\]\n\t.*\n/gm, '');

/**
 * Whether the clone's settings for how files look (filters, line ends) are others than those that the slot was filled under: then
 * its files and its trusted index are wrong, and git sees no difference. Asked by the time of the clone's config file
 * first, because it hardly ever changes. Another name of the user alone is taken over.
 */
export async function filledUnderOtherSettings(
  place: SlotPlace,
  clone: { path: string; gitDir: string },
): Promise<boolean> {
  const stored = join(place.state, CONFIG);
  if (existsSync(stored) && !readFileSync(stored, 'utf8').startsWith(HEAD)) return true;
  const theirs = statSync(join(clone.gitDir, 'config'), { throwIfNoEntry: false });
  const ours = statSync(stored, { throwIfNoEntry: false });
  if (!theirs || !ours || theirs.mtimeMs <= ours.mtimeMs) return false;
  const [before, now] = await Promise.all([
    readFile(stored, 'utf8'),
    slotConfig(clone.path, place.mirror, place.trash),
  ]);
  if (withoutUser(before) !== withoutUser(now)) return true;
  storeConfig(place, now);
  // What changes while it is read is seen the next time.
  utimesSync(stored, theirs.atime, theirs.mtime);
  return false;
}
