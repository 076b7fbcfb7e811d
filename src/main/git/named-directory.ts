import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SlotPlace } from '../paths/layout.ts';
import type { Environment } from '../processes/environment.ts';
import { guardSlot, slotOf } from './slot-guard.ts';

/**
 * How git is told which repository is meant, where that is one of Headway's own. A slot whose `.git` is broken is then an
 * error and never a walk upwards into a repository that happens to hold the data directory; a mirror is found also where the user's
 * `safe.bareRepository` lets git find no bare one by itself. A slot is made safe first, so no git is called in one that is not.
 * The user's own clone is left to git, which asks by their settings whether it may be trusted.
 */
export async function namedDirectory(cwd: string): Promise<Environment> {
  const slot = slotOf(cwd);
  if (slot) {
    await guardSlot(slot);
    return slotVariables(slot);
  }
  return isMirror(cwd) ? { GIT_DIR: cwd } : {};
}

/** Objects are taken as they are: what a job says should stand in their place does not land. */
export const slotVariables = (place: SlotPlace): Environment => ({
  GIT_DIR: place.gitDirectory,
  GIT_WORK_TREE: place.path,
  GIT_NO_REPLACE_OBJECTS: '1',
});

/** A mirror, or one that is being made beside it. */
const isMirror = (cwd: string): boolean =>
  /^mirror\.git(\.|$)/.test(basename(cwd)) && existsSync(join(cwd, 'HEAD'));
