import type { Job } from '../../shared/domain.ts';
import type { LostRunners, RunnerIdentity } from '../runners/runner.ts';
import type { Store } from '../store/store.ts';
import type { Attempts } from './attempts.ts';

export type HeartbeatOptions = {
  store: Store;
  runner: RunnerIdentity;
  attempts: Attempts;
  now(): number;
  recover(lost: readonly Job[], runners: LostRunners): Promise<void>;
  /** After each beat that went well. */
  onBeat(): Promise<void>;
  /** What is not well with the store, once; again when it was well between. */
  onUnwell(error: Error): void;
  onProblem(thrown: unknown): void;
};

/**
 * Says again and again that this process lives, stops attempts whose lease somebody else has, and takes over what dead
 * runners had.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #beats = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #takingOver: Promise<void> | undefined;
  #wasWell = true;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      const beat = this.#beat()
        .catch(this.#options.onProblem)
        .finally(() => this.#beats.delete(beat));
      this.#beats.add(beat);
    }, this.#options.runner.heartbeatMs);
  }

  /** Settles when no beat runs: nothing of one may come after the store is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#beats);
  }

  /** One at a time: keeping a dead runner's work may take longer than a beat, and its jobs wait for that. */
  takeOver(): Promise<void> {
    this.#takingOver ??= this.#takeOver().finally(() => {
      this.#takingOver = undefined;
    });
    return this.#takingOver;
  }

  async #beat(): Promise<void> {
    const { runner, store, attempts, onBeat, onUnwell } = this.#options;
    await runner.beat();
    attempts.lose(await store.jobs.lost(attempts.leases));
    await this.takeOver();
    const health = await store.health();
    if (health !== undefined && this.#wasWell) onUnwell(new Error(health));
    this.#wasWell = health === undefined;
    await onBeat();
  }

  async #takeOver(): Promise<void> {
    const { runner, store, recover, now } = this.#options;
    const { gone, hung } = await runner.lost();
    const lost = [...gone, ...hung];
    const jobs = lost.length === 0 ? [] : await store.jobs.ofRunners(lost);
    if (gone.length === 0 && jobs.length === 0) return;
    await recover(jobs, { gone, hung });
    await store.jobs.takeOver(gone, now());
    await store.jobs.takeOver(hung, now(), 'its process does not answer');
    // Last: whatever breaks off before is done again. A hung runner stays known, because it still holds its slots.
    for (const runnerId of gone) await store.runners.remove(runnerId);
  }
}
