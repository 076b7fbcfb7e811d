import type { Cause } from '../../shared/cause.ts';

/** How an attempt ended, as its stages say it. */
export type Ending =
  | { outcome: 'merged'; commit: string }
  | { outcome: 'failed' | 'held'; cause: Cause; work?: Work }
  /** Put back as it is: Headway was stopped. */
  | { outcome: 'requeued'; cause: Cause; work?: Work }
  /** Another attempt may get over it; whether there is one is for the retry policy. */
  | { outcome: 'retry'; cause: Cause; work?: Work };

type Work = { base: string; head: string };

/** A stage that cannot go on leaves with its ending. */
export class Ended extends Error {
  readonly ending: Ending;

  constructor(ending: Ending) {
    super(ending.outcome);
    this.ending = ending;
  }
}

export const failed = (cause: Cause): Ended => new Ended({ outcome: 'failed', cause });
/** Ended by what another attempt may get over; see the table of the retry policy. */
export const retry = (cause: Cause, work?: Work): Ended =>
  new Ended({ outcome: 'retry', cause, ...(work ? { work } : {}) });
export const held = (cause: Cause, work?: Work): Ended =>
  new Ended({ outcome: 'held', cause, ...(work ? { work } : {}) });
