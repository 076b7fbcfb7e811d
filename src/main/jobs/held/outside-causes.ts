import type { Cause } from '../../../shared/cause.ts';
import type { Job } from '../../../shared/domain.ts';

/** Held by what somebody may change outside at any time; the work is kept, and nobody has to be asked. */
const OUTSIDE: readonly Cause['code'][] = [
  'uncommitted-work',
  'merge-refused',
  'base-missing',
  'base-red',
  'disk-full',
];

/** Pure: whether a held job goes on by itself as soon as what holds it is gone. */
export const goesOnByItself = ({ state, cause }: Pick<Job, 'state' | 'cause'>): boolean =>
  state === 'held' &&
  cause !== undefined &&
  OUTSIDE.includes(cause.code) &&
  // A refusal that no look at the clone explains is a person's to mend, e.g. a closed pull request.
  (cause.code !== 'merge-refused' || cause.seen !== undefined);
