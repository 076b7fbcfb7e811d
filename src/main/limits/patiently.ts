import { setTimeout as delay } from 'node:timers/promises';
import { storeTroubleOf } from '../store/store-trouble.ts';

const PAUSE_MS = 500;

/**
 * Does what writes to the store, again and again while its disk is full, read-only or in use: work that is done is not
 * thrown away because it cannot be written down yet. Gives up when aborted.
 */
export async function patiently<T>(action: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (thrown) {
      if (!storeTroubleOf(thrown) || signal.aborted) throw thrown;
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined); // aborted: one last try
  }
}
