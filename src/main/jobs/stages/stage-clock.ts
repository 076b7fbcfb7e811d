import type { Attempt, Stage, StageTimes } from '../../../shared/domain.ts';

/** Measures the stages of one attempt. A stage that comes again (a second gate run after a merge) adds up. */
export class StageClock {
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  #current: { stage: Stage; startedAt: number; startedMs: number } | undefined;
  readonly #spans: Attempt['stages'] = [];

  constructor(clock: { now(): number; monotonic(): number }) {
    this.#monotonic = () => clock.monotonic();
    this.#wall = () => clock.now();
  }

  enter(stage: Stage): void {
    if (this.#current?.stage === stage) return;
    this.leave();
    this.#current = { stage, startedAt: this.#wall(), startedMs: this.#monotonic() };
  }

  leave(): void {
    if (!this.#current) return;
    const { stage, startedAt, startedMs } = this.#current;
    this.#spans.push({ stage, startedAt, ms: this.#monotonic() - startedMs });
    this.#current = undefined;
  }

  get stage(): Stage | undefined {
    return this.#current?.stage;
  }

  /** Ended spans, and the one that runs, without its duration. */
  spans(): Attempt['stages'] {
    const open = this.#current;
    return open ? [...this.#spans, { stage: open.stage, startedAt: open.startedAt }] : [...this.#spans];
  }

  times(): StageTimes {
    const times: StageTimes = {};
    for (const span of this.#spans) times[span.stage] = Math.round((times[span.stage] ?? 0) + (span.ms ?? 0));
    return times;
  }
}
