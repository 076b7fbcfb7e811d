import { toError } from '../../../shared/errors.ts';
import { driftBetween } from '../../landing/drift.ts';
import { foreignCommits } from '../../landing/foreign-commits.ts';
import { lookOutside } from '../../landing/look-outside.ts';
import { staleBase } from '../../repositories/base-branch.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import type { JobPorts } from '../ports.ts';
import type { AttemptSpace } from '../stages/agent-stage.ts';
import { landingsSince, markLandings } from '../stages/landings.ts';
import type { Prepared } from '../stages/prepare.ts';

/**
 * Compares the user's clone before and after what runs in between, and notes in the attempt what changed there, together
 * with what a person should know about the slot. It never fails an attempt: a person may work in their clone.
 */
export async function watchOutside(
  record: AttemptRecord,
  space: AttemptSpace,
  { repository }: Prepared,
  ports: Pick<JobPorts, 'store' | 'inFlight'>,
): Promise<AsyncDisposable> {
  const look = (failed?: (thrown: unknown) => void) =>
    lookOutside(repository, record.job.base).catch((thrown: unknown) => {
      failed?.(thrown);
      return undefined;
    });
  const mark = await markLandings(ports);
  const [before, stale] = await Promise.all([
    look(),
    staleBase(repository.path, record.job.base).catch(() => undefined),
  ]);
  return {
    async [Symbol.asyncDispose]() {
      let unreadable = 'the clone could not be read';
      const after = await look((thrown) => {
        unreadable += `: ${toError(thrown).message}`;
      });
      const drift = before && after ? driftBetween(before, after) : [unreadable];
      if (before && after) {
        const landings = await landingsSince(mark, ports, record.job);
        drift.push(...(await foreignCommits(repository, before, after, landings).catch(() => [])));
      }
      const notes = [...space.slot.notes, ...space.notes, ...(stale === undefined ? [] : [stale])];
      if (drift.length > 0)
        space.pane.write(
          Buffer.from(`\r\nChanged in ${repository.path} meanwhile:\r\n${drift.join('\r\n')}\r\n`),
        );
      if (drift.length > 0 || notes.length > 0) await record.note({ drift, notes });
    },
  };
}
