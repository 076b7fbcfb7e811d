import { useMemo } from 'react';
import { type Job, STAGES } from '../../shared/domain.ts';
import { formatDuration } from '../../shared/time.ts';
import { useModel } from '../state/store.ts';
import { selectJob, showView } from '../state/ui-store.ts';
import { LinkButton } from '../ui/button.tsx';
import { Card, Page } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { JobMark } from '../ui/state-mark.tsx';
import { stageReport, stageShares } from './stage-report.ts';
import own from './views.module.css';

const NO_JOBS: ReadonlyMap<string, Job> = new Map();
const MAX_ROWS = 200;

/** Where the time went: medians of the whole queue, then job by job. */
export function ReportView() {
  const jobs = useModel((model) => model.jobs, NO_JOBS);
  const all = useMemo(() => [...jobs.values()], [jobs]);
  // With every change of a job; more often would move the numbers under the reader's eyes.
  const report = useMemo(() => stageReport(all, Date.now()), [all]);
  const latest = useMemo(
    () =>
      all
        .filter((job) => Object.keys(job.stages).length > 0)
        .sort((a, b) => (b.endedAt ?? b.startedAt ?? 0) - (a.endedAt ?? a.startedAt ?? 0))
        .slice(0, MAX_ROWS),
    [all],
  );
  if (report.jobs === 0) {
    return (
      <Page title="Report">
        <p className={styles.dim}>No job has run yet. Once one has, this shows where its time went.</p>
      </Page>
    );
  }
  return (
    <Page title="Report">
      <Card
        title={`${report.jobs} ${report.jobs === 1 ? 'job' : 'jobs'}: ${formatDuration(report.overheadMedianMs)} fixed overhead each, ${percent(report.overheadShare)} of the run time`}
        detail="Slot, checkout and install, median"
      >
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Stage</th>
              <th className={styles.number}>Jobs</th>
              <th className={styles.number}>Median</th>
              <th className={styles.number}>95th percentile</th>
              <th className={styles.number}>All together</th>
              <th className={styles.number}>Share of run</th>
            </tr>
          </thead>
          <tbody>
            {report.rows.map((row) => (
              <tr key={row.stage}>
                <td>{row.stage}</td>
                <td className={styles.number}>{row.jobs}</td>
                <td className={styles.number}>{row.jobs > 0 ? formatDuration(row.medianMs) : ''}</td>
                <td className={styles.number}>{row.jobs > 0 ? formatDuration(row.p95Ms) : ''}</td>
                <td className={styles.number}>{row.jobs > 0 ? formatDuration(row.totalMs) : ''}</td>
                <td className={styles.number}>{row.share === undefined ? '' : percent(row.share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      <Card title={latest.length < report.jobs ? `Latest ${latest.length} jobs` : 'Jobs'}>
        <div className={own.legend} aria-hidden>
          {STAGES.map((stage) => (
            <span key={stage}>
              <i data-kind={stage} />
              {stage}
            </span>
          ))}
        </div>
        <div className={own.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th>Job</th>
                <th className={styles.number}>queue</th>
                {STAGES.map((stage) => (
                  <th key={stage} className={styles.number}>
                    {stage}
                  </th>
                ))}
                <th>Of its run</th>
              </tr>
            </thead>
            <tbody>
              {latest.map((job) => (
                <JobLine key={job.id} job={job} />
              ))}
            </tbody>
          </table>
        </div>
      </Card>
    </Page>
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function JobLine({ job }: { job: Job }) {
  return (
    <tr>
      <td title={job.ticket.title}>
        <JobMark job={job} bare />{' '}
        <LinkButton
          onClick={() => {
            showView('run');
            selectJob(job.id);
          }}
        >
          {job.ticket.id}
        </LinkButton>{' '}
        {job.ticket.title}
      </td>
      <td className={styles.number}>{formatDuration(job.queuedMs)}</td>
      {STAGES.map((stage) => {
        const ms = job.stages[stage];
        return (
          <td key={stage} className={styles.number}>
            {ms === undefined ? '' : formatDuration(ms)}
          </td>
        );
      })}
      <td>
        <div className={own.stack} aria-hidden>
          {/* What runs now has no time yet, so that shares of it would mislead. */}
          {job.state !== 'running' &&
            stageShares(job).map(({ stage, share }) => (
              <span key={stage} data-kind={stage} style={{ width: `${share * 100}%` }} title={stage} />
            ))}
        </div>
      </td>
    </tr>
  );
}
