import { Maximize2, Minimize2, X } from 'lucide-react';
import type { Job } from '../../shared/domain.ts';
import { stageSinceAt } from '../../shared/stage-times.ts';
import { NAMES } from '../names.ts';
import { useModel } from '../state/store.ts';
import { type InspectorTab, INSPECTOR_TABS as TABS, uiStore, useUi } from '../state/ui-store.ts';
import { IconButton } from '../ui/button.tsx';
import { Ago, Elapsed } from '../ui/elapsed.tsx';
import { JobMark, VerdictMark } from '../ui/state-mark.tsx';
import { DiffTab } from './diff-tab.tsx';
import { GateTab } from './gate-tab.tsx';
import styles from './inspector.module.css';
import { Overview } from './overview.tsx';
import { TicketTab } from './ticket-tab.tsx';

export function Inspector() {
  const selectedId = useUi((state) => state.selectedJobId);
  const job = useModel((model) => (selectedId ? model.jobs.get(selectedId) : undefined), undefined);
  return (
    <section className={styles.inspector} aria-label={NAMES.inspector}>
      {job ? (
        <JobPage key={job.id} job={job} />
      ) : (
        <p className={styles.empty}>Select a job to see its stages, changes and gate.</p>
      )}
    </section>
  );
}

function JobPage({ job }: { job: Job }) {
  const chosen = useUi((state) => state.inspectorTab);
  const tab = chosen?.jobId === job.id ? chosen.tab : 'Overview';
  const setTab = (next: InspectorTab): void =>
    uiStore.setState({ inspectorTab: { jobId: job.id, tab: next } });
  return (
    <>
      <Head job={job} />
      <div className={styles.tabs} role="tablist" aria-label="Parts of the job">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="job-tab"
            tabIndex={tab === name ? 0 : -1}
            className={styles.tab}
            onClick={() => setTab(name)}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
              const next = TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length];
              if (step === 0 || !next) return;
              setTab(next);
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div className={styles.body} role="tabpanel" id="job-tab" aria-labelledby={`tab-${tab}`}>
        {tab === 'Overview' && <Overview job={job} />}
        {tab === 'Diff' && <DiffTab job={job} />}
        {tab === 'Gate' && <GateTab job={job} />}
        {tab === 'Ticket' && <TicketTab job={job} />}
      </div>
    </>
  );
}

function Head({ job }: { job: Job }) {
  const maximised = useUi((state) => state.inspectorMaximised);
  const repository = useModel((model) => model.repositories.get(job.repoId)?.name, undefined);
  return (
    <header className={styles.head}>
      <div className={styles.headLine}>
        <span title={`${job.ticket.id}, job ${job.id}`}>
          {job.ticket.id}
          {repository && ` · ${repository}`}
        </span>
        <JobMark job={job} />
        <IconButton
          icon={maximised ? Minimize2 : Maximize2}
          label={maximised ? 'Restore inspector' : 'Maximise inspector'}
          data-maximise
          onClick={() => {
            uiStore.setState({ inspectorMaximised: !maximised });
            // It is built anew in its other place: the keyboard goes along.
            requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-maximise]')?.focus());
          }}
        />
        <IconButton
          icon={X}
          label="Close inspector"
          onClick={() => uiStore.setState({ selectedJobId: undefined, inspectorMaximised: false })}
        />
      </div>
      <h2 className={styles.title} title={job.ticket.title}>
        {job.ticket.title}
      </h2>
      <div className={styles.facts}>
        <span>{job.agent}</span>
        {job.ticket.priority !== 'batch' && <span>{job.ticket.priority}</span>}
        {job.attempts > 0 && <span>attempt {job.attempts}</span>}
        {job.state === 'running' && (
          <span>
            {job.stage ?? 'starting'} <Elapsed sinceAt={stageSinceAt(job)} />
          </span>
        )}
        {job.endedAt !== undefined && job.state !== 'running' && <Ago at={job.endedAt} />}
        {job.verdict && (
          <span>
            gate <VerdictMark verdict={job.verdict} />
          </span>
        )}
      </div>
    </header>
  );
}
