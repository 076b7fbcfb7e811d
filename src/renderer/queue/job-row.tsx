import { memo } from 'react';
import { explainCause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';
import { stageSinceAt } from '../../shared/stage-times.ts';
import { formatDuration } from '../../shared/time.ts';
import { selectJob } from '../state/ui-store.ts';
import { classes } from '../ui/classes.ts';
import { Elapsed } from '../ui/elapsed.tsx';
import type { MenuPlace } from '../ui/menu.tsx';
import { JobMark } from '../ui/state-mark.tsx';
import { CauseText } from './cause-text.tsx';
import styles from './queue.module.css';

type Props = {
  job: Job;
  index: number;
  selected: boolean;
  place: { transform: string; height: number };
  onMenu: (at: MenuPlace) => void;
};

export const JobRow = memo(JobRowView, (before, after) => {
  const same = before.job === after.job && before.index === after.index && before.selected === after.selected;
  return (
    same && before.place.transform === after.place.transform && before.place.height === after.place.height
  );
});

function JobRowView({ job, index, selected, place, onMenu }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are placed by transforms, which tables forbid
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has focus and takes the keys for its rows
    <div
      id={`queue-${job.id}`}
      className={classes(styles.row, styles.job)}
      style={place}
      role="row"
      aria-label={rowName(job)}
      aria-rowindex={index + 1}
      aria-selected={selected}
      tabIndex={-1}
      onClick={() => selectJob(job.id)}
      onContextMenu={(event) => {
        event.preventDefault();
        selectJob(job.id);
        onMenu({ x: event.clientX, y: event.clientY });
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <div role="gridcell" tabIndex={-1}>
        <div className={styles.line}>
          <JobMark job={job} bare />
          <span className={styles.ticket} title={job.ticket.id}>
            {job.ticket.id}
          </span>
          <span className={styles.title} title={job.ticket.title}>
            {job.ticket.title}
          </span>
          <span className={styles.side}>
            <Side job={job} />
          </span>
        </div>
        {job.cause && (
          <div
            className={classes(styles.reason, job.state === 'held' && styles.needs)}
            title={`${explainCause(job.cause).text}. Freed when: ${explainCause(job.cause).frees}.`}
          >
            <CauseText cause={job.cause} inRow />
          </div>
        )}
      </div>
    </div>
  );
}

function Side({ job }: { job: Job }) {
  if (job.state === 'running') {
    return (
      <>
        {job.stage ?? 'starting'} <Elapsed sinceAt={stageSinceAt(job)} />
      </>
    );
  }
  if (job.state === 'queued') return <Elapsed sinceAt={job.queuedAt} />;
  if (job.state === 'held') return null;
  const tookMs =
    job.startedAt !== undefined && job.endedAt !== undefined ? job.endedAt - job.startedAt : undefined;
  return (
    <>
      {job.state === 'merged' ? '' : `${job.state} `}
      {tookMs === undefined ? '' : formatDuration(tookMs)}
    </>
  );
}

function rowName(job: Job): string {
  const why = job.cause ? `, ${explainCause(job.cause).text}` : '';
  const stage = job.state === 'running' && job.stage ? ` ${job.stage}` : '';
  return `${job.ticket.id} ${job.ticket.title}, ${job.state}${stage}${why}`;
}
