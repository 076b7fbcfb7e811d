import { toError } from '../../shared/errors.ts';
import type { HeadwayClient } from '../../shared/rpc/client.ts';
import { showToast, uiStore } from './ui-store.ts';

let client: HeadwayClient | undefined;

/** Called once, by the entry point, before the first render. */
export function setEngine(next: HeadwayClient): void {
  client = next;
}

/** The connection to the engine, for actions and terminals. */
export function engine(): HeadwayClient {
  if (!client) throw new Error('The window is not connected yet: setEngine comes first.');
  return client;
}

/**
 * Runs an action for a person: its `key` is in `busy` meanwhile, its failure becomes a notice. Resolves to whether it
 * went well. The same key does not run twice at once.
 */
export async function perform(key: string, run: () => Promise<unknown>): Promise<boolean> {
  if (uiStore.getState().busy.has(key)) return false;
  uiStore.setState((state) => ({ busy: new Set([...state.busy, key]) }));
  try {
    await run();
    return true;
  } catch (thrown) {
    showToast('error', toError(thrown).message);
    return false;
  } finally {
    uiStore.setState((state) => ({ busy: new Set([...state.busy].filter((other) => other !== key)) }));
  }
}
