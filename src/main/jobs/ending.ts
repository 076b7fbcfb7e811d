import type { Cause } from '../../shared/cause.ts';

/** How an attempt ended, as its stages say it. */
export type Ending =
  | { outcome: 'merged'; commit: string }
  | { outcome: 'failed' | 'held' | 'requeued'; cause: Cause; work?: { base: string; head: string } };

/** A stage that cannot go on leaves with its ending. */
export class Ended extends Error {
  readonly ending: Ending;

  constructor(ending: Ending) {
    super(ending.outcome);
    this.ending = ending;
  }
}

export const failed = (cause: Cause): Ended => new Ended({ outcome: 'failed', cause });
export const held = (cause: Cause, work?: { base: string; head: string }): Ended =>
  new Ended({ outcome: 'held', cause, ...(work ? { work } : {}) });
