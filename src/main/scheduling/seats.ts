import type { Job } from '../../shared/domain.ts';

/**
 * Its work is verified and it waits for its turn to merge: no agent and no gate of it runs. The caps are for what
 * takes the machine, so another job may start meanwhile.
 */
export const waitsToMerge = ({ state, cause }: Pick<Job, 'state' | 'cause'>): boolean =>
  state === 'running' && cause?.code === 'waits-for-merge';

/**
 * Seats that are taken: by jobs at work, and by those that wait to merge as far as they are more than the cap. Where merging is
 * slower than the agents they would be ever more otherwise, each with a slot of its own.
 */
export const seatsTaken = (atWork: number, waiting: number, limit: number): number =>
  atWork + Math.max(0, waiting - limit);
