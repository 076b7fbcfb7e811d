import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Repository } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import { moveToTrash } from '../../disk/trash.ts';
import { git } from '../../git/git.ts';
import { parentsAreReal, type SlotPlace } from '../../paths/layout.ts';
import { slotGit, slotList } from './slot-git.ts';

/*
 * Submodules are filled from what is on this machine: the user's own copies below `.git/modules`, or a local URL. Never
 * over the network: a hand-out may not wait for a password or a server. One that can't be filled is told as a note.
 */

type Submodule = { name: string; path: string; url: string };

const stateFile = (place: SlotPlace): string => join(place.state, 'submodules.json');

/** Paths of the submodules of the proven commit. */
export function submodulePaths(place: SlotPlace): string[] {
  const file = stateFile(place);
  if (!existsSync(file)) return [];
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Empties the submodules of the last commit: their git directories went with the slot's own. */
export async function emptySubmodules(place: SlotPlace): Promise<void> {
  for (const path of submodulePaths(place)) {
    // A link among the parents leads elsewhere; the checkout replaces it.
    if (!parentsAreReal(place, path)) continue;
    await moveToTrash(join(place.path, path), place.trash);
    mkdirSync(join(place.path, path), { recursive: true });
  }
}

/** Every link to a commit of another repository in the index, declared in `.gitmodules` or not. */
async function linkPaths(place: SlotPlace): Promise<string[]> {
  const rows = await slotList(place, ['ls-files', '-z', '--stage']);
  return rows.filter((row) => row.startsWith('160000 ')).map((row) => row.slice(row.indexOf('\t') + 1));
}

/**
 * Links in whose place something lies. Not asked of git: to answer, it would start another git in there, by settings that
 * a job may have written.
 */
export async function filledLinks(place: SlotPlace): Promise<string[]> {
  return (await linkPaths(place)).filter((path) => {
    if (!parentsAreReal(place, path)) return false;
    const directory = join(place.path, path);
    return (
      lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true &&
      readdirSync(directory).length > 0
    );
  });
}

/** Empties the places of all links. */
export async function emptyLinks(place: SlotPlace): Promise<void> {
  for (const path of await filledLinks(place)) {
    await moveToTrash(join(place.path, path), place.trash);
    mkdirSync(join(place.path, path));
  }
}

async function declared(place: SlotPlace, commit: string): Promise<Submodule[]> {
  const rows = await slotList(place, ['config', '--blob', `${commit}:.gitmodules`, '--list', '--null'], {
    ok: [0, 1, 128],
  });
  const found = new Map<string, Partial<Submodule>>();
  for (const row of rows) {
    const match = /^submodule\.(.+)\.(path|url)\n(.*)$/s.exec(row);
    if (!match?.[1]) continue;
    const entry = found.get(match[1]) ?? {};
    found.set(match[1], { ...entry, [match[2] ?? '']: match[3] });
  }
  const paths = new Set(await linkPaths(place));
  return [...found].flatMap(([name, { path, url }]) =>
    path !== undefined && paths.has(path) ? [{ name, path, url: url ?? '' }] : [],
  );
}

/** The directory that a URL of `.gitmodules` names, if it is on this machine. */
async function localSource(url: string, clone: string): Promise<string | undefined> {
  if (url.startsWith('file://')) return fileURLToPath(url);
  if (isAbsolute(url)) return url;
  if (!/^\.\.?\//.test(url)) return undefined;
  // Relative to where the clone came from, or to the clone itself where it came from nowhere.
  const { stdout } = await git(['config', '--get', 'remote.origin.url'], { cwd: clone, ok: [0, 1] });
  const origin = stdout.trim() || clone;
  return isAbsolute(origin) ? resolve(origin, url) : undefined;
}

async function sourcesOf(submodule: Submodule, repository: Repository): Promise<string[]> {
  const own = join(repository.gitDir, 'modules', submodule.name);
  const named = await localSource(submodule.url, repository.path);
  return [own, ...(named === undefined ? [] : [named])].filter((path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isDirectory(),
  );
}

async function fill(place: SlotPlace, submodule: Submodule, source: string): Promise<void> {
  const key = `submodule.${submodule.name}`;
  await slotGit(place, [
    ...['-c', 'protocol.file.allow=always', '-c', `${key}.url=${source}`, '-c', `${key}.active=true`],
    ...['-c', `${key}.update=checkout`, 'submodule', '--quiet', 'update', '--init', '--force'],
    ...['--', submodule.path],
  ]);
}

/**
 * Fills the submodules of a commit that was just checked out and proved. Returns a note for each that stays empty.
 */
export async function fillSubmodules(
  place: SlotPlace,
  commit: string,
  repository: Repository,
): Promise<string[]> {
  if (!existsSync(join(place.path, '.gitmodules'))) {
    await moveToTrash(stateFile(place), place.trash);
    return [];
  }
  const submodules = await declared(place, commit);
  writeFileSync(stateFile(place), JSON.stringify(submodules.map((submodule) => submodule.path)));
  const notes: string[] = [];
  for (const submodule of submodules) {
    let why = 'no copy of it is on this machine; run "git submodule update --init" in your clone';
    let filled = false;
    // A name with `=` can't be given to git as a setting of one command.
    const sources = submodule.name.includes('=') ? [] : await sourcesOf(submodule, repository);
    for (const source of sources) {
      try {
        await fill(place, submodule, source);
        filled = true;
        break;
      } catch (thrown) {
        why = toError(thrown).message;
        await moveToTrash(join(place.gitDirectory, 'modules', submodule.name), place.trash);
        await moveToTrash(join(place.path, submodule.path), place.trash);
        mkdirSync(join(place.path, submodule.path), { recursive: true });
      }
    }
    if (!filled) notes.push(`submodule ${submodule.path} is not initialised: ${why}`);
  }
  return notes;
}
