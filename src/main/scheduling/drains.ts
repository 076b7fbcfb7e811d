import type { Cause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';

/** Held jobs that go on by themselves, and who hears of them while they are all that is left. */
export type Stay = { stays(job: Job): boolean; onStay(held: readonly Job[]): void };

type Drain = { concerns(job: Job): boolean; stay: Stay | undefined; said: string; resolve(): void };

/** Causes of waiting jobs that time alone takes away. */
const PASSES: ReadonlySet<string> = new Set(['backoff', 'account-paused'] satisfies Cause['code'][]);

/** Pure: whether a job runs, or will start without anything else happening. */
export const movesByItself = (job: Job): boolean =>
  job.state === 'running' || (job.state === 'queued' && PASSES.has(job.cause?.code ?? ''));

/** Pure: jobs that stay by `stays`, among `open` or ahead of one of them by its cause. */
export function stayingFor(
  open: readonly Job[],
  stays: (job: Job) => boolean,
  get: (jobId: string) => Job | undefined,
): Job[] {
  const staying = new Set<Job>();
  for (const first of open) {
    const seen = new Set<string>();
    let job: Job | undefined = first;
    while (job && !seen.has(job.id)) {
      seen.add(job.id);
      if (stays(job)) staying.add(job);
      job = job.cause && 'jobId' in job.cause ? get(job.cause.jobId) : undefined;
    }
  }
  return [...staying];
}

/** Those who wait until no job of theirs can go on without a person. */
export class Drains {
  readonly #drains = new Set<Drain>();

  /** Settles at a look that finds it drained. */
  add(concerns: (job: Job) => boolean, stay: Stay | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drains.add({ concerns, stay, said: '', resolve });
    return promise;
  }

  /** `busy`: something moves by itself, so whoever has an open job waits on. */
  settle(open: readonly Job[], busy: boolean, get: (jobId: string) => Job | undefined): void {
    for (const drain of this.#drains) {
      const mine = open.filter(drain.concerns);
      if (mine.length > 0 && busy) {
        drain.said = '';
        continue;
      }
      if (staysFor(drain, mine, get)) continue;
      this.#drains.delete(drain);
      drain.resolve();
    }
  }
}

function staysFor(drain: Drain, open: readonly Job[], get: (jobId: string) => Job | undefined): boolean {
  const { stay } = drain;
  if (!stay) return false;
  const held = stayingFor(open, stay.stays, get);
  const said = JSON.stringify(held.map(({ id, cause }) => [id, cause]));
  if (held.length > 0 && said !== drain.said) stay.onStay(held);
  drain.said = said;
  return held.length > 0;
}
