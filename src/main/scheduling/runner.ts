import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { processStarted } from '../processes/process-table.ts';
import type { Runner, Store } from '../store/store.ts';

/**
 * Who executes: this process, registered in the store with its start mark. Another runner is dead when its process is
 * gone (or its id belongs to a younger process), and hung when its heartbeat has not changed for `HUNG_AFTER_MS` of
 * our own monotonic time: no wall clock is compared, so a clock that jumps starts nothing twice.
 */
export const HEARTBEAT_MS = 5_000;
const HUNG_AFTER_MS = 60_000;

export interface RunnerIdentity {
  readonly id: string;
  register(): Promise<void>;
  beat(): Promise<void>;
  /** Runners whose jobs may be taken over now. */
  lost(): Promise<string[]>;
  isAlive(runnerId: string): Promise<boolean>;
  unregister(): Promise<void>;
}

export function createRunner(store: Store, clock: { now(): number; monotonic(): number }): RunnerIdentity {
  const id = randomUUID();
  const seen = new Map<string, { heartbeatAt: number; sinceMs: number }>();
  let self: Runner | undefined;

  const processGone = async (runner: Runner): Promise<boolean> =>
    runner.host === hostname() && (await processStarted(runner.pid)) !== runner.started;

  const hung = (runner: Runner): boolean => {
    const last = seen.get(runner.id);
    if (!last || last.heartbeatAt !== runner.heartbeatAt) {
      seen.set(runner.id, { heartbeatAt: runner.heartbeatAt, sinceMs: clock.monotonic() });
      return false;
    }
    return clock.monotonic() - last.sinceMs > HUNG_AFTER_MS;
  };

  return {
    id,
    async register() {
      const started = (await processStarted(process.pid)) ?? '';
      self = { id, pid: process.pid, started, host: hostname(), heartbeatAt: clock.now() };
      await store.runners.put(self);
    },
    async beat() {
      if (self) await store.runners.put({ ...self, heartbeatAt: clock.now() });
    },
    async lost() {
      const others = (await store.runners.list()).filter((runner) => runner.id !== id);
      const lost: string[] = [];
      for (const runner of others) if ((await processGone(runner)) || hung(runner)) lost.push(runner.id);
      return lost;
    },
    async isAlive(runnerId) {
      if (runnerId === id) return true;
      const runner = (await store.runners.list()).find((row) => row.id === runnerId);
      return runner !== undefined && !(await processGone(runner)) && !hung(runner);
    },
    async unregister() {
      self = undefined;
      await store.runners.remove(id);
    },
  };
}
