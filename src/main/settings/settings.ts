import type { RequestParams } from '../../shared/contract.ts';
import type { Settings } from '../../shared/domain.ts';
import type { Store } from '../store/store.ts';
import { DEFAULT_SETTINGS } from './defaults.ts';

/** The stored settings, and over them what this process alone was told. */
export type LiveSettings = {
  get(): Settings;
  /** Changes these and leaves what another process set. Throws `bad-input` for an agent that there is not. */
  set(change: RequestParams<'settings.set'>): Promise<Settings>;
  /** Reads what another process may have changed. */
  refresh(): Promise<void>;
};

export async function createSettings(
  store: Store,
  onChange: (settings: Settings) => void,
  overrides: Partial<Settings> = {},
): Promise<LiveSettings> {
  const whole = (some: Partial<Settings>): Settings => ({ ...DEFAULT_SETTINGS, ...some });
  const read = async (): Promise<Settings> => whole(await store.settings.get());
  let stored = await read();
  const get = (): Settings => ({ ...stored, ...overrides });
  const take = (next: Settings): void => {
    const same = JSON.stringify(next) === JSON.stringify(stored);
    stored = next;
    if (!same) onChange(get());
  };
  return {
    get,
    async set(change) {
      if (change.defaultAgent !== undefined) {
        const { resolveAgent } = await import('../agents/registry.ts');
        resolveAgent(change.defaultAgent);
      }
      take(
        await store.settings.change((some) => {
          const before = whole(some);
          const { maxJobsPerUser = before.maxJobsPerUser, ...others } = change;
          return { ...before, ...others, maxJobsPerUser: maxJobsPerUser ?? undefined };
        }),
      );
      return get();
    },
    refresh: async () => take(await read()),
  };
}
