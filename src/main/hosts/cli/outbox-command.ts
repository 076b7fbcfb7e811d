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
export function outboxCommand(
  options: { settle?: boolean },
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  return looking(async ({ parts }) => {
    const { store, scheduler, repositories, now } = parts;
    if (options.settle) {
      const { settleEffects } = await import('../../jobs/pull-requests/settle-effects.ts');
      const settled = await settleEffects(signal, {
        store,
        job: scheduler.job,
        repository: repositories.get,
        forge: parts.jobPorts.forge,
        runnerId: parts.runner.id,
        now,
      });
      for (const { effect, outcome, why } of settled) {
        output.data({ type: 'settled', key: effect.key, kind: effect.kind, outcome, why: why ?? null });
        output.say(`${effect.kind} ${about(effect)}: ${outcome}${why === undefined ? '' : ` (${why})`}`);
      }
    }
    const effects = (await store.effects.open()).map((effect) => {
      const job = scheduler.job(effect.jobId);
      const state = job?.state === 'running' ? 'under way' : 'orphaned';
      return { effect, state, ticket: job?.ticket.id ?? effect.jobId };
    });
    const open = effects.map(({ effect, state, ticket }) => ({
      key: effect.key,
      kind: effect.kind,
      state,
      job: effect.jobId,
      ticket,
      about: about(effect),
      createdAt: effect.createdAt,
    }));
    output.data({ type: 'outbox', outbox: open, effects: open }); // `effects`: the field's old name, for one version
    output.say(
      effects.length === 0
        ? 'Nothing is open: every merge, branch, pull request and comment is known to have ended.'
        : table(effects.map(({ effect, state, ticket }) => [ticket, effect.kind, state, about(effect)])),
    );
    if (effects.some(({ state }) => state === 'orphaned')) {
      output.say(
        'An orphaned one is looked for, and not repeated, when its job goes on; --settle looks now.',
      );
    }
    return EXIT.ok;
  });
}
