import { type Cause, explainCause } from '../../shared/cause.ts';
import type { Job, Repository, Settings } from '../../shared/domain.ts';
import type { AuditEntries, Done } from '../audit/audit-log.ts';
import { DEFAULT_SETTINGS } from '../settings/defaults.ts';
import type { Auditor } from '../store/store-change.ts';

const reason = (cause: Cause | undefined): string => (cause ? explainCause(cause).text : '');
const of = (job: Job) => ({ repoId: job.repoId, jobId: job.id, subject: job.ticket.id });

/** What changed of a repository's registration; empty: nothing that anybody decided. */
function registered(before: Repository | undefined, after: Repository): Done[] {
  const changes: [action: string, text: string][] = [];
  if (!before) changes.push(['repository-added', `${after.path}, base ${after.base}`]);
  else if (before.base !== after.base) changes.push(['base-changed', `${before.base} → ${after.base}`]);
  if (after.trustedHash !== undefined && after.trustedHash !== before?.trustedHash) {
    changes.push(['trust', `agreed to the setup and gate commands ${after.trustedHash.slice(0, 12)}`]);
  }
  const { id: repoId, name: subject } = after;
  return changes.map(([action, text]) => ({ action, repoId, subject, text }));
}

function changedSettings(before: Settings, after: Settings): Done[] {
  const names = Object.keys(after) as (keyof Settings)[];
  return names
    .filter((name) => before[name] !== after[name])
    .map((subject) => ({
      action: 'setting',
      subject,
      text: `${String(before[subject] ?? 'none')} → ${String(after[subject])}`,
    }));
}

/** What the audit log says of each change of the store: what people decided, and what runners did by themselves. */
export function auditChanges({ person, runner }: AuditEntries): Auditor {
  return (change) => {
    switch (change.what) {
      case 'submitted': {
        const { job } = change;
        return person([{ ...of(job), action: 'submit', text: `${job.ticket.title} (${job.agent})` }]);
      }
      case 'claimed': {
        const { attempt, runnerId } = change.lease;
        return runner([
          { ...of(change.job), action: 'claim', text: `attempt ${attempt} by runner ${runnerId}` },
        ]);
      }
      case 'ended': {
        const { job, end } = change;
        const text = end.outcome === 'merged' ? `${job.commit ?? ''} into ${job.base}` : reason(job.cause);
        return runner([{ ...of(job), action: `attempt-${end.outcome}`, text }]);
      }
      case 'taken-over':
        return runner([{ ...of(change.job), action: 'taken-over', text: reason(change.job.cause) }]);
      case 'decided': {
        const { action, before, job } = change;
        const approves = job.approved === true && before.approved !== true;
        const text = `was ${before.state}${approves ? '; lets its change through' : ''}`;
        return person([{ ...of(job), action, text }]);
      }
      case 'intended': {
        const { effect, job } = change;
        return runner([{ ...of(job), action: effect.kind, text: `${effect.key} is intended` }]);
      }
      case 'settled': {
        const { key: subject, state, repoId } = change;
        return runner([{ action: 'effect', repoId, subject, text: `is ${state}` }]);
      }
      case 'slot-made':
      case 'slot-removed': {
        const { id: subject, repoId, path, reason: why = '' } = change.slot;
        const text = change.what === 'slot-made' ? path : why;
        return runner([{ action: change.what, repoId, subject, text }]);
      }
      case 'registered':
        return person(registered(change.before, change.repository));
      case 'unregistered': {
        const { id: repoId, name: subject, path: text } = change.repository;
        return person([{ action: 'repository-removed', repoId, subject, text }]);
      }
      case 'settings':
        return person(changedSettings({ ...DEFAULT_SETTINGS, ...change.before }, change.after));
      default:
        return change satisfies never;
    }
  };
}
