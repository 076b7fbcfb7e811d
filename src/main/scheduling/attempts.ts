import type { Job } from '../../shared/domain.ts';
import type { Lease } from '../store/store.ts';

/** Why an attempt was told to stop. */
export type StopReason = 'cancelled' | 'lease-lost' | 'stopping';

type RunningAttempt = { lease: Lease; controller: AbortController; done: Promise<void> };

/** The attempts of this process, including those whose end is recorded while their slot is still being reset. */
export class Attempts {
  readonly #running = new Set<RunningAttempt>();

  get size(): number {
    return this.#running.size;
  }

  get leases(): Lease[] {
    return [...this.#running].map(({ lease }) => lease);
  }

  has(jobId: string): boolean {
    return this.#of(jobId).length > 0;
  }

  /** `run` must not reject; `onLeft` is called when nothing of the attempt is left. */
  launch(lease: Lease, run: (signal: AbortSignal) => Promise<void>, onLeft: () => void): void {
    const controller = new AbortController();
    const done = run(controller.signal).finally(() => {
      this.#running.delete(attempt);
      onLeft();
    });
    const attempt: RunningAttempt = { lease, controller, done };
    this.#running.add(attempt);
  }

  /** The row of a job as it is now: an attempt that it does not name any more is told to stop. */
  follow(job: Job): void {
    for (const { lease, controller } of this.#of(job.id)) {
      if (job.state === 'running' && job.attempts === lease.attempt) continue;
      controller.abort((job.state === 'cancelled' ? 'cancelled' : 'lease-lost') satisfies StopReason);
    }
  }

  stop(jobId: string, reason: StopReason): void {
    for (const { controller } of this.#of(jobId)) controller.abort(reason);
  }

  /** Tells the attempts with these leases that somebody else has their jobs. */
  lose(leases: readonly Lease[]): void {
    for (const { lease, controller } of this.#running) {
      if (leases.includes(lease)) controller.abort('lease-lost' satisfies StopReason);
    }
  }

  /** Settles when none is left. */
  async stopAll(): Promise<void> {
    for (const { controller } of this.#running) controller.abort('stopping' satisfies StopReason);
    await Promise.all([...this.#running].map(({ done }) => done));
  }

  #of(jobId: string): RunningAttempt[] {
    return [...this.#running].filter(({ lease }) => lease.jobId === jobId);
  }
}
