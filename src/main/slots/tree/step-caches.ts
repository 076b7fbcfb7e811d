import { constants, lstatSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HeadwayError } from '../../../shared/errors.ts';
import { formatBytes } from '../../../shared/sizes.ts';
import { measureTree } from '../../disk/measure.ts';
import { moveToTrash } from '../../disk/trash.ts';
import { parentsAreReal, type SlotPlace } from '../../paths/layout.ts';
import { slotList } from './slot-git.ts';

const MAX_BYTES = 1024 ** 3;
const KEYS_KEPT = 32;

/**
 * Caches of gate steps, which a checker believes: they lie outside the slot's tree, are there only while their step runs, and
 * what a run made of them counts only once the work that it judged is on the base. So neither an agent nor a job that
 * does not land has a say in what the next gate believes.
 */
export interface StepCaches {
  /** Puts what is kept under the key in place, and nothing else. Throws `bad-input` for a path that can't be a cache. */
  bring(key: string, paths: readonly string[]): Promise<void>;
  /** Takes them away again, to wait until `keep`; with `worth` false for good. Tells why nothing waits. */
  take(key: string, paths: readonly string[], worth: boolean): Promise<string | undefined>;
  /** What waits is kept from now on. */
  keep(): Promise<void>;
  /** Lets go what waits. */
  drop(): Promise<void>;
}

/** Caches of the slot at a place. Only for whoever has claimed it. */
export function createStepCaches(place: SlotPlace): StepCaches {
  const store = join(place.state, 'step-caches');
  const waiting = join(place.state, 'step-caches.waiting');
  const clear = async (path: string): Promise<void> => {
    if (!parentsAreReal(place, path)) {
      throw new HeadwayError('bad-input', `caches: ${path} lies behind a link`);
    }
    await moveToTrash(join(place.path, path), place.trash);
  };

  return {
    async bring(key, paths) {
      const tracked = await slotList(place, [
        'ls-files',
        '-z',
        '--',
        ...paths.map((path) => `:(literal)${path}`),
      ]);
      if (tracked[0] !== undefined) {
        throw new HeadwayError('bad-input', `caches: git tracks ${tracked[0]}; name a directory of its own`);
      }
      for (const [index, path] of paths.entries()) {
        await clear(path);
        const kept = join(store, key, String(index));
        if (!lstatSync(kept, { throwIfNoEntry: false })) continue;
        const target = join(place.path, path);
        mkdirSync(dirname(target), { recursive: true });
        await cp(kept, target, {
          recursive: true,
          preserveTimestamps: true,
          mode: constants.COPYFILE_FICLONE,
          // A link may lead anywhere.
          filter: (from) => !lstatSync(from).isSymbolicLink(),
        }).catch(() => clear(path)); // without it the step is slower, nothing else
      }
    },

    async take(key, paths, worth) {
      await moveToTrash(join(waiting, key), place.trash);
      let bytes = 0;
      for (const path of worth ? paths : []) {
        bytes += (await measureTree(join(place.path, path), new AbortController().signal)) ?? 0;
      }
      const keeps = worth && bytes <= MAX_BYTES && paths.every((path) => parentsAreReal(place, path));
      for (const [index, path] of paths.entries()) {
        const from = join(place.path, path);
        const found = lstatSync(from, { throwIfNoEntry: false });
        if (!found) continue;
        if (!keeps || !(found.isDirectory() || found.isFile())) {
          await clear(path);
          continue;
        }
        mkdirSync(join(waiting, key), { recursive: true });
        renameSync(from, join(waiting, key, String(index)));
      }
      return bytes > MAX_BYTES
        ? `its cache of ${formatBytes(bytes)} is not kept: the limit is ${formatBytes(MAX_BYTES)}`
        : undefined;
    },

    async keep() {
      for (const key of namesIn(waiting)) {
        await moveToTrash(join(store, key), place.trash);
        mkdirSync(store, { recursive: true });
        renameSync(join(waiting, key), join(store, key));
      }
      const age = (key: string): number => statSync(join(store, key)).mtimeMs;
      const old = namesIn(store)
        .toSorted((a, b) => age(b) - age(a))
        .slice(KEYS_KEPT);
      for (const key of old) await moveToTrash(join(store, key), place.trash);
    },

    async drop() {
      await moveToTrash(waiting, place.trash);
    },
  };
}

const namesIn = (directory: string): string[] =>
  lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : [];
