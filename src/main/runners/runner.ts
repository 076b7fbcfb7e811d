import { processStarted } from '../processes/process-table.ts';
import { processTable } from '../processes/table-identity.ts';
import type { Runner, Store } from '../store/store.ts';

/**
 * Who executes: this process, registered in the store with its start mark. Another runner is gone when its process is
 * (or its id belongs to a younger process), and hung when its heartbeat has not changed for `hungAfterMs` of our own
 * monotonic time: no wall clock is compared, so a clock that jumps starts nothing twice. Of a runner in another process table
 * (another container or machine, or this one before it started again) silence is all that can be seen: it is gone after
 * ten times that.
 */
export type RunnerTiming = { heartbeatMs: number; hungAfterMs: number };
export const RUNNER_TIMING: RunnerTiming = { heartbeatMs: 5_000, hungAfterMs: 60_000 };
/** So many times `hungAfterMs` a runner that cannot be seen is silent until what it holds on disk is for others too. */
const GONE_AFTER = 10;

/** Runners whose jobs may be taken over. Those of hung ones only: their process may wake up in its slot. */
export type LostRunners = { gone: string[]; hung: string[] };

export interface RunnerIdentity {
  readonly id: string;
  readonly heartbeatMs: number;
  register(): Promise<void>;
  beat(): Promise<void>;
  lost(): Promise<LostRunners>;
  /** Registered, and its process is there, if perhaps suspended: what it holds on disk is not for others. */
  exists(runnerId: string): Promise<boolean>;
  unregister(): Promise<void>;
}

export function createRunner(
  store: Pick<Store, 'runners'>,
  clock: { now(): number; monotonic(): number },
  timing: RunnerTiming = RUNNER_TIMING,
  table: string = processTable(),
): RunnerIdentity {
  const id = crypto.randomUUID();
  /** The beats of others as we saw them, each with our own time. */
  const seen = new Map<string, { beat: number; sinceMs: number }>();
  let self: Runner | undefined;

  /** For how long its heartbeat has been the same, as far as we have seen. */
  const silentMs = (runner: Runner): number => {
    const last = seen.get(runner.id);
    if (last?.beat === runner.beat) return clock.monotonic() - last.sinceMs;
    seen.set(runner.id, { beat: runner.beat, sinceMs: clock.monotonic() });
    return 0;
  };

  const gone = async (runner: Runner): Promise<boolean> =>
    runner.host === table
      ? (await processStarted(runner.pid)) !== runner.started
      : silentMs(runner) > GONE_AFTER * timing.hungAfterMs;

  return {
    id,
    heartbeatMs: timing.heartbeatMs,
    async register() {
      const started = (await processStarted(process.pid)) ?? '';
      self = { id, pid: process.pid, started, host: table, beat: 1, heartbeatAt: clock.now() };
      await store.runners.put(self);
    },
    async beat() {
      if (!self) return;
      // A number, because a wall clock that was set back may say the same time again.
      self = { ...self, beat: self.beat + 1, heartbeatAt: clock.now() };
      await store.runners.put(self);
    },
    async lost() {
      const lost: LostRunners = { gone: [], hung: [] };
      for (const runner of await store.runners.list()) {
        if (runner.id === id) continue;
        if (await gone(runner)) lost.gone.push(runner.id);
        else if (silentMs(runner) > timing.hungAfterMs) lost.hung.push(runner.id);
      }
      return lost;
    },
    async exists(runnerId) {
      if (runnerId === id) return true;
      const runner = (await store.runners.list()).find((row) => row.id === runnerId);
      return runner !== undefined && !(await gone(runner));
    },
    async unregister() {
      self = undefined;
      await store.runners.remove(id);
    },
  };
}
