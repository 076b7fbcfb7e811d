import { Fragment, useEffect, useState } from 'react';
import type { Attempt, Job } from '../../shared/domain.ts';
import { formatDuration } from '../../shared/time.ts';
import { onSecond } from '../ui/ticker.ts';
import styles from './inspector.module.css';
import { waterfall } from './waterfall.ts';

/** Where the time of a job went, as bars on one axis. */
export function StageBars({ job, attempts }: { job: Job; attempts: readonly Attempt[] }) {
  const [now, setNow] = useState(Date.now);
  const live = job.state === 'running' || job.state === 'queued';
  useEffect(() => (live ? onSecond(setNow) : undefined), [live]);
  const bars = waterfall(job, attempts, Math.max(now, job.queuedAt));
  if (bars.length === 0) return <p className={styles.dim}>It has not started yet.</p>;
  let attempt = bars[0]?.attempt;
  return (
    <div className={styles.bars}>
      {bars.map((bar) => {
        const first = attempts.length > 1 && bar.attempt !== attempt;
        attempt = bar.attempt;
        return (
          <Fragment key={bar.key}>
            {first && <span className={styles.attemptLine}>Attempt {bar.attempt}</span>}
            <span>{bar.label}</span>
            <span className={styles.track} aria-hidden>
              <span
                className={styles.fill}
                data-kind={bar.kind}
                data-live={bar.live}
                style={{ left: `${bar.left * 100}%`, width: `${Math.min(bar.width, 1 - bar.left) * 100}%` }}
              />
            </span>
            <span className={styles.ms}>{formatDuration(bar.ms)}</span>
          </Fragment>
        );
      })}
    </div>
  );
}
