import { join } from 'node:path';
import type { Repository } from '../../../shared/domain.ts';
import { type HeadwayError, toError } from '../../../shared/errors.ts';
import { moveToTrash } from '../../disk/trash.ts';
import type { SlotPlace } from '../../paths/layout.ts';
import { filledUnderOtherSettings } from '../tree/slot-config.ts';
import { isOwn } from './identity.ts';
import { lockState, processesIn } from './leftovers.ts';
import { type Kept, moveTo } from './reset.ts';

/** What asking git and the process table again found about a slot that was just taken. */
export type Prepared =
  /** It stands on the commit, proved. */
  | { kind: 'ready'; notes: string[] }
  /** Its directory is gone or somebody else's. */
  | { kind: 'lost' }
  /** It was filled under settings of the clone that are others now: make one anew. */
  | { kind: 'outdated'; why: string }
  /** A live process holds its index: leave it alone, use another. */
  | { kind: 'locked'; why: string }
  /** It must be reset before anybody gets it. */
  | { kind: 'unclean'; why: string; error?: HeadwayError | Error };

/** Brings a taken slot to the commit, if nothing speaks against it. Never throws. */
export async function prepareSlot(
  place: SlotPlace,
  options: { commit: string; kept: Kept; repository: Repository; nowMs: number; signal: AbortSignal },
): Promise<Prepared> {
  if (!(await isOwn(place))) return { kind: 'lost' };
  if (processesIn(place.path).length > 0) return { kind: 'unclean', why: 'a process still works in it' };
  const lockFile = join(place.gitDirectory, 'index.lock');
  const lock = await lockState(lockFile, options.nowMs);
  if (lock.kind === 'live') return { kind: 'locked', why: `process ${lock.pid} holds its index.lock` };
  if (lock.kind === 'unknown') return { kind: 'locked', why: 'its index.lock is fresh' };
  try {
    if (await filledUnderOtherSettings(place, options.repository))
      return {
        kind: 'outdated',
        why: "git's settings for files (filters, line ends) changed: it is made anew",
      };
    if (lock.kind === 'stale') await moveToTrash(lockFile, place.trash);
    const notes = await moveTo(place, options.commit, options.kept, options.repository, options.signal);
    return { kind: 'ready', notes };
  } catch (thrown) {
    const error = toError(thrown);
    return { kind: 'unclean', why: error.message, error };
  }
}
