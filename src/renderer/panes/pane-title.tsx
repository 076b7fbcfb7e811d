import type { Job, Session } from '../../shared/domain.ts';
import { stageSinceAt } from '../../shared/stage-times.ts';
import { Elapsed } from '../ui/elapsed.tsx';
import { JobMark } from '../ui/state-mark.tsx';
import styles from './panes.module.css';

/** Ticket, stage, time. */
export function PaneTitle({ session, job }: { session: Session; job: Job | undefined }) {
  if (!job || session.kind !== 'job') {
    return (
      <>
        <span className={styles.name}>
          <strong>{session.title}</strong>
        </span>
        <span className={styles.stage}>
          {session.state === 'live' ? session.kind : `ended${exitText(session)}`}{' '}
          <Elapsed sinceAt={session.createdAt} untilAt={session.endedAt} />
        </span>
      </>
    );
  }
  const current = job.sessionId === session.id;
  return (
    <>
      <JobMark job={job} bare />
      <span className={styles.name} title={`${job.ticket.id} ${job.ticket.title}`}>
        <strong>{job.ticket.id}</strong>
        <span>{job.ticket.title}</span>
      </span>
      <span className={styles.stage}>
        {stageText(job, current)}{' '}
        {job.state === 'running' && current ? (
          <Elapsed sinceAt={stageSinceAt(job)} />
        ) : (
          <Elapsed
            sinceAt={session.createdAt}
            untilAt={session.endedAt ?? job.endedAt ?? session.createdAt}
          />
        )}
      </span>
    </>
  );
}

const exitText = (session: Session): string =>
  session.exitCode === undefined || session.exitCode === 0 ? '' : ` with ${session.exitCode}`;

function stageText(job: Job, current: boolean): string {
  if (!current) return 'earlier attempt';
  return job.state === 'running' ? (job.stage ?? 'starting') : job.state;
}
