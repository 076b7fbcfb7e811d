import { type Cause, explainCause } from '../shared/cause.ts';
import type { Job, Repository, Settings } from '../shared/domain.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { DEFAULT_SETTINGS } from './engine-options.ts';
import { overlay } from './overlay.ts';
import type { Store } from './store/store.ts';

const reason = (cause: Cause | undefined): string => (cause ? explainCause(cause).text : '');
const of = (job: Job) => ({ repoId: job.repoId, jobId: job.id, subject: job.ticket.id });

/** What changed of a repository's registration; undefined: nothing that anybody decided. */
function registered(before: Repository | undefined, after: Repository): [action: string, text: string][] {
  const changes: [string, string][] = [];
  if (!before) changes.push(['repository-added', `${after.path}, base ${after.base}`]);
  else if (before.base !== after.base) changes.push(['base-changed', `${before.base} → ${after.base}`]);
  if (after.trustedHash !== undefined && after.trustedHash !== before?.trustedHash) {
    changes.push(['trust', `agreed to the setup and gate commands ${after.trustedHash.slice(0, 12)}`]);
  }
  return changes;
}

function changedSettings(before: Settings, after: Settings): [name: string, text: string][] {
  const names = Object.keys(after) as (keyof Settings)[];
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => [name, `${String(before[name] ?? 'none')} → ${String(after[name])}`]);
}

/**
 * The store, with an entry in the audit log for everything that is decided or done by it: submissions, claims, ends,
 * effects, slots, trust, settings. What people do with a job is written where they do it (`jobs/actions`).
 */
export function auditedStore(store: Store, audit: AuditLog): Store {
  const { jobs, effects, slots, repositories, settings } = store;
  const submitted = <J extends readonly Job[] | undefined>(added: J): J => {
    audit.person(
      (added ?? []).map((job) => ({
        ...of(job),
        action: 'submit',
        text: `${job.ticket.title} (${job.agent})`,
      })),
    );
    return added;
  };
  return overlay(store, {
    jobs: overlay(jobs, {
      insert: async (fresh) => submitted(await jobs.insert(fresh)),
      insertWithin: async (fresh, maxQueued) => submitted(await jobs.insertWithin(fresh, maxQueued)),
      async claim(jobId, claim) {
        const claimed = await jobs.claim(jobId, claim);
        if (claimed) {
          const text = `attempt ${claimed.lease.attempt} by runner ${claimed.lease.runnerId}`;
          audit.runner([{ ...of(claimed.job), action: 'claim', text }]);
        }
        return claimed;
      },
      async update(lease, change, end) {
        const saved = await jobs.update(lease, change, end);
        if (saved && end) {
          const text =
            end.outcome === 'merged' ? `${saved.commit ?? ''} into ${saved.base}` : reason(saved.cause);
          audit.runner([{ ...of(saved), action: `attempt-${end.outcome}`, text }]);
        }
        return saved;
      },
      async takeOver(...lost) {
        const taken = await jobs.takeOver(...lost);
        audit.runner(taken.map((job) => ({ ...of(job), action: 'taken-over', text: reason(job.cause) })));
        return taken;
      },
    }),
    effects: overlay(effects, {
      async intend(effect, ...lease) {
        const stands = await effects.intend(effect, ...lease);
        const job = stands && (await jobs.get(effect.jobId));
        if (job) audit.runner([{ ...of(job), action: effect.kind, text: `${effect.key} is intended` }]);
        return stands;
      },
      async settle(key, state, data, ...rest) {
        await effects.settle(key, state, data, ...rest);
        const repoId = typeof data.repoId === 'string' ? data.repoId : undefined;
        audit.runner([{ action: 'effect', repoId, subject: key, text: `is ${state}` }]);
      },
    }),
    slots: overlay(slots, {
      async insert(slot) {
        await slots.insert(slot);
        audit.runner([{ action: 'slot-made', repoId: slot.repoId, subject: slot.id, text: slot.path }]);
      },
      async remove(slotId) {
        const slot = (await slots.list()).find(({ id }) => id === slotId);
        await slots.remove(slotId);
        if (!slot) return;
        const { repoId, reason: why } = slot;
        audit.runner([{ action: 'slot-removed', repoId, subject: slotId, text: why ?? '' }]);
      },
    }),
    repositories: overlay(repositories, {
      async put(repository) {
        const before = (await repositories.list()).find(({ id }) => id === repository.id);
        await repositories.put(repository);
        const { id: repoId, name: subject } = repository;
        audit.person(
          registered(before, repository).map(([action, text]) => ({ action, repoId, subject, text })),
        );
      },
      async remove(repoId) {
        const before = (await repositories.list()).find(({ id }) => id === repoId);
        await repositories.remove(repoId);
        const { name: subject = repoId, path: text = '' } = before ?? {};
        audit.person([{ action: 'repository-removed', repoId, subject, text }]);
      },
    }),
    settings: overlay(settings, {
      async set(after) {
        const before = { ...DEFAULT_SETTINGS, ...(await settings.get()) };
        await settings.set(after);
        audit.person(
          changedSettings(before, after).map(([subject, text]) => ({ action: 'setting', subject, text })),
        );
      },
    }),
  });
}
