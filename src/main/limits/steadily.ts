import { setTimeout as delay } from 'node:timers/promises';
import { toError } from '../../shared/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/time.ts';
import { wasKilled } from '../git/git.ts';

const LOOK_MS = SECOND_MS;
const LONGEST_MS = 10 * MINUTE_MS;

/** By a system call's own code, or in git's words. */
export const isDiskFull = (words: string): boolean =>
  /\b(ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded/i.test(words);

/**
 * Does what must not be given up for a passing trouble: once more where a git in it was killed by somebody else, and again
 * until there is room where the disk is full, for ten minutes at most. It must be safe to repeat from any point.
 */
export async function steadily<T>(action: () => Promise<T>, closing: AbortSignal): Promise<T> {
  const untilMs = performance.now() + LONGEST_MS;
  let killed = false;
  for (;;) {
    try {
      return await action();
    } catch (thrown) {
      if (wasKilled(thrown) && !killed) killed = true;
      else if (!isDiskFull(toError(thrown).message) || closing.aborted || performance.now() > untilMs)
        throw thrown;
      else await delay(LOOK_MS, undefined, { signal: closing }).catch(() => undefined); // closing: one last try
    }
  }
}
