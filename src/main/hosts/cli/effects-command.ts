import type { Effect } from '../../store/store.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

/** What an effect is about, in a few words. */
function about({ kind, data }: Effect): string {
  const commit = String(data.commit ?? '').slice(0, 10);
  switch (kind) {
    case 'merge':
      return `${commit} onto ${String(data.base)}`;
    case 'branch':
      return `${commit} to ${String(data.branch)} on ${String(data.remote)}`;
    case 'pull-request':
      return `of ${String(data.branch)} to ${String(data.base)}`;
    case 'comment':
      return `on ${String(data.url)}`;
    default:
      return kind satisfies never;
  }
}

/** Lists what was begun outside and is not known to have ended: under way, or orphaned until its job looks again. */
export function effectsCommand(output: Output): Promise<number> {
  return looking(async ({ parts }) => {
    const effects = (await parts.store.effects.open()).map((effect) => {
      const job = parts.scheduler.job(effect.jobId);
      const state = job?.state === 'running' ? 'under way' : 'orphaned';
      return { effect, state, ticket: job?.ticket.id ?? effect.jobId };
    });
    output.data({
      type: 'effects',
      effects: effects.map(({ effect, state, ticket }) => ({
        key: effect.key,
        kind: effect.kind,
        state,
        job: effect.jobId,
        ticket,
        about: about(effect),
        createdAt: effect.createdAt,
      })),
    });
    output.say(
      effects.length === 0
        ? 'Nothing is open: every merge, branch, pull request and comment is known to have ended.'
        : table(effects.map(({ effect, state, ticket }) => [ticket, effect.kind, state, about(effect)])),
    );
    if (effects.some(({ state }) => state === 'orphaned')) {
      output.say(
        'An orphaned one is looked for, and not repeated, when its job goes on: run its tickets again.',
      );
    }
    return EXIT.ok;
  });
}
