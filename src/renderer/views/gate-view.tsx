import { useMemo, useState } from 'react';
import { type Inspection, type Job, type Repository, VERDICTS } from '../../shared/domain.ts';
import { formatDuration } from '../../shared/time.ts';
import { GateTab } from '../inspector/gate-tab.tsx';
import { NAMES } from '../names.ts';
import { engine, perform } from '../state/engine.ts';
import { useModel } from '../state/store.ts';
import { useUi } from '../state/ui-store.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useProof } from '../state/use-proof.ts';
import { Button } from '../ui/button.tsx';
import { Ago } from '../ui/elapsed.tsx';
import { Card, Page } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { VerdictMark } from '../ui/state-mark.tsx';
import { GateAudit } from './gate-audit.tsx';
import { GateProof } from './gate-proof.tsx';
import { NoRepository } from './no-repository.tsx';
import own from './views.module.css';

const NO_REPOSITORIES: ReadonlyMap<string, Repository> = new Map();
const NO_JOBS: ReadonlyMap<string, Job> = new Map();
const MAX_VERDICTS = 30;

export function GateView() {
  const repositories = useModel((model) => model.repositories, NO_REPOSITORIES);
  return (
    <Page title="Gate">
      {repositories.size === 0 && <NoRepository />}
      {[...repositories.values()].map((repository) => (
        <RepositoryGate key={repository.id} repository={repository} />
      ))}
    </Page>
  );
}

function RepositoryGate({ repository }: { repository: Repository }) {
  const { id: repoId, path } = repository;
  // Another policy means other steps, another audit and a stale proof.
  const [policyChanges, setPolicyChanges] = useState(0);
  const version = `${path}:${repository.trustedHash ?? ''}:${policyChanges}`;
  const { value: inspection, error } = useAnswer(version, () =>
    engine().request('repository.inspect', { path }),
  );
  const audit = useAnswer(repoId, () => engine().request('gate.audit', { repoId }));
  const proof = useProof(repoId, version);
  const agreeing = useUi((state) => state.busy.has(`trust:${repoId}`));
  const trusted = inspection && repository.trustedHash === inspection.commandsHash;
  return (
    <Card
      title={repository.name}
      path={`${repository.path} (${repository.base})`}
      actions={
        inspection &&
        (trusted ? (
          <span className={styles.note}>You agreed to these commands</span>
        ) : (
          <Button
            look="primary"
            busy={agreeing}
            onClick={() =>
              void perform(`trust:${repoId}`, () =>
                engine().request('repository.trust', {
                  repoId,
                  hash: inspection.commandsHash,
                }),
              )
            }
          >
            {NAMES.agree}
          </Button>
        ))
      }
    >
      {error !== undefined && (
        <p className={styles.empty} role="alert">
          {error}
        </p>
      )}
      {!inspection && error === undefined && <p className={styles.empty}>Looking at it…</p>}
      {inspection && <Steps inspection={inspection} />}
      <GateAudit
        repoId={repoId}
        answer={audit}
        onPolicyChange={() => setPolicyChanges((before) => before + 1)}
      />
      <GateProof repoId={repoId} answer={proof} />
      <Verdicts repoId={repoId} />
    </Card>
  );
}

function Steps({ inspection }: { inspection: Inspection }) {
  return (
    <>
      {inspection.gate.length === 0 ? (
        <p className={styles.empty}>
          <VerdictMark verdict="ungated" /> No step checks this repository, so nothing of it ever merges. Add
          lint, type or test scripts, or a policy, on its base branch.
        </p>
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Step</th>
              <th>Command</th>
              <th className={styles.number}>Time limit</th>
            </tr>
          </thead>
          <tbody>
            {inspection.setup !== undefined && (
              <tr>
                <td>setup</td>
                <td className={styles.mono}>{inspection.setup}</td>
                <td />
              </tr>
            )}
            {inspection.gate.map((step) => (
              <tr key={step.name}>
                <td>{step.name}</td>
                <td className={styles.mono} title={step.command}>
                  {step.command}
                </td>
                <td className={styles.number}>{formatDuration(step.timeoutMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {inspection.notes.length > 0 && (
        <ul className={own.notes}>
          {inspection.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Verdicts({ repoId }: { repoId: string }) {
  const jobs = useModel((model) => model.jobs, NO_JOBS);
  const [openId, setOpenId] = useState<string>();
  const recent = useMemo(
    () =>
      [...jobs.values()]
        .filter((job) => job.repoId === repoId && job.verdict !== undefined)
        .sort((a, b) => (b.endedAt ?? b.seq) - (a.endedAt ?? a.seq))
        .slice(0, MAX_VERDICTS),
    [jobs, repoId],
  );
  if (recent.length === 0) return <p className={own.sub}>No verdict yet.</p>;
  return (
    <>
      <h3 className={own.sub}>
        Recent verdicts:{' '}
        {VERDICTS.flatMap((verdict) => {
          const count = recent.filter((job) => job.verdict === verdict).length;
          return count === 0 ? [] : [`${count} ${verdict}`];
        }).join(', ')}
      </h3>
      {recent.map((job) => (
        <div key={job.id}>
          <button
            type="button"
            className={own.line}
            aria-expanded={openId === job.id}
            onClick={() => setOpenId(openId === job.id ? undefined : job.id)}
          >
            {job.verdict && <VerdictMark verdict={job.verdict} />}
            <span title={`${job.ticket.id} ${job.ticket.title}`}>
              {job.ticket.id} {job.ticket.title}
            </span>
            <span className={styles.dim}>
              {job.stages.gate !== undefined && formatDuration(job.stages.gate)}
            </span>
            <span className={styles.dim}>{job.endedAt !== undefined && <Ago at={job.endedAt} />}</span>
          </button>
          {openId === job.id && (
            <div className={own.expanded}>
              <GateTab job={job} />
            </div>
          )}
        </div>
      ))}
    </>
  );
}
