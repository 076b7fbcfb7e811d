import { useState } from 'react';
import { type Cause, explainCause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';
import { jobActions, runJobAction } from '../actions/job-actions.ts';
import { showPane } from '../actions/session-actions.ts';
import { LinkBar } from '../panes/link-bar.tsx';
import { CauseText } from '../queue/cause-text.tsx';
import { useModel } from '../state/store.ts';
import { useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { AttemptList } from './attempt-list.tsx';
import { changedFiles, claimText } from './changed-files.ts';
import { CostNumbers } from './cost-numbers.tsx';
import { GateSummary } from './gate-steps.tsx';
import styles from './inspector.module.css';
import { StageBars } from './stage-bars.tsx';
import { useJobDetail } from './use-job-detail.ts';

export function Overview({ job }: { job: Job }) {
  const detail = useJobDetail(job);
  const attempts = detail.value?.attempts ?? [];
  return (
    <>
      {job.cause && <Why job={job} cause={job.cause} />}
      <Actions job={job} />
      <section className={styles.section} aria-label="Stages">
        <h3>Stages</h3>
        {detail.state === 'failed' && <p className={styles.dim}>{detail.why}</p>}
        {detail.state === 'loading' && <p className={styles.dim}>Loading…</p>}
        {detail.state === 'ready' && <StageBars job={job} attempts={attempts} />}
      </section>
      <GateSummary attempts={attempts} />
      <Paths job={job} />
      {job.usage && <CostNumbers usage={job.usage} />}
      {attempts.length > 0 && <AttemptList attempts={attempts} />}
      <Facts job={job} />
    </>
  );
}

function Why({ job, cause }: { job: Job; cause: Cause }) {
  const [target, setTarget] = useState<string>();
  return (
    <section className={styles.section} aria-label="Why">
      <h3>{job.state === 'queued' ? 'Why it waits' : 'Why'}</h3>
      <div className={styles.why}>
        <p>
          <CauseText cause={cause} onLink={setTarget} />
        </p>
        <p>Freed when: {explainCause(cause).frees}</p>
        {cause.code === 'needs-trust' && (
          <ul className={styles.files} aria-label="Commands">
            {cause.commands.map((command) => (
              <li key={command}>{command}</li>
            ))}
          </ul>
        )}
      </div>
      {target !== undefined && (
        <div className={styles.target}>
          <LinkBar target={target} onClose={() => setTarget(undefined)} />
        </div>
      )}
    </section>
  );
}

function Actions({ job }: { job: Job }) {
  const busy = useUi((state) => state.busy);
  const hasSession = useModel(
    (model) => job.sessionId !== undefined && model.sessions.has(job.sessionId),
    false,
  );
  return (
    <section className={styles.section} aria-label="Actions">
      <div className={styles.actions}>
        {job.state === 'running' && job.sessionId !== undefined && !hasSession && (
          <p className={styles.elsewhere}>
            Another Headway process runs it. Its output can be read here when it has ended.
          </p>
        )}
        {hasSession && (
          <Button onClick={() => job.sessionId !== undefined && showPane(job.sessionId)}>Show pane</Button>
        )}
        {jobActions(job).map((action, index) => (
          <Button
            key={action.id}
            look={
              action.id === 'cancel'
                ? 'danger'
                : index === 0 && job.state === 'held' && job.cause?.code !== 'tampered'
                  ? 'primary'
                  : 'default'
            }
            busy={busy.has(`${action.id}:${job.id}`)}
            onClick={() => runJobAction(job, action.id)}
          >
            {action.label}
          </Button>
        ))}
      </div>
    </section>
  );
}

function Paths({ job }: { job: Job }) {
  const files = changedFiles(job);
  return (
    <section className={styles.section} aria-label="Paths">
      <h3>Claim: {claimText(job.claim)}</h3>
      {job.claim.kind === 'paths' && (
        <ul className={styles.files}>
          {job.claim.paths.map((path) => (
            <li key={path}>{path}</li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <>
          <h3 style={{ marginTop: 8 }}>
            Changed: {files.length} {files.length === 1 ? 'file' : 'files'}
            {job.strayed.length > 0 && `, ${job.strayed.length} outside the claim`}
          </h3>
          <ul className={styles.files}>
            {files.map((file) => (
              <li key={file.path} className={file.strayed ? styles.strayed : undefined}>
                {file.path}
                {file.strayed && <span className={styles.tag}>strayed</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Facts({ job }: { job: Job }) {
  return (
    <section className={styles.section} aria-label="Facts">
      <h3>Facts</h3>
      <dl className={styles.numbers}>
        <dt>Job</dt>
        <dd>
          <code>{job.id}</code>
        </dd>
        <dt>Base</dt>
        <dd>
          <code>{job.base}</code>
        </dd>
        {job.branch && (
          <>
            <dt>Branch</dt>
            <dd>
              <code>{job.branch}</code>
            </dd>
          </>
        )}
        {job.commit && (
          <>
            <dt>{job.state === 'merged' ? 'Merged as' : 'Commit'}</dt>
            <dd>
              <code title={job.commit}>{job.commit.slice(0, 10)}</code>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
