import type { Job, JobState } from '../../shared/domain.ts';
import { NAMES } from '../names.ts';
import { engine, perform } from '../state/engine.ts';
import { currentModel } from '../state/store.ts';
import { openDialog, uiStore } from '../state/ui-store.ts';
import { openSession } from './session-actions.ts';

export type JobActionId = 'agree' | 'cancel' | 'reopen' | 'hold' | 'release' | 'take-over' | 'open-editor';

const LABELS: Record<JobActionId, string> = {
  agree: NAMES.agree,
  release: 'Release',
  reopen: 'Reopen',
  hold: 'Hold',
  'take-over': 'Take over in a terminal',
  'open-editor': 'Open in editor',
  cancel: 'Cancel job',
};

const FOR_STATE: Record<JobState, readonly JobActionId[]> = {
  queued: ['hold', 'open-editor', 'cancel'],
  running: ['open-editor', 'cancel'],
  held: ['release', 'reopen', 'take-over', 'open-editor', 'cancel'],
  merged: ['open-editor'],
  failed: ['reopen', 'take-over', 'open-editor'],
  cancelled: ['reopen', 'take-over', 'open-editor'],
};

/** What a person may do with a job in its state, in the order in which it is offered. */
export function jobActions(job: Job): readonly { id: JobActionId; label: string }[] {
  const ids = job.cause?.code === 'needs-trust' ? ['agree' as const] : [];
  return [...ids, ...FOR_STATE[job.state]].map((id) => ({ id, label: labelOf(id, job) }));
}

/** Releasing a job that changes its own gate is a person's yes to that change, which is shown first. */
const labelOf = (id: JobActionId, job: Job): string =>
  id === 'release' && job.cause?.code === 'tampered' ? 'Review the gate change…' : LABELS[id];

export function runJobAction(job: Job, id: JobActionId): void {
  const key = `${id}:${job.id}`;
  switch (id) {
    case 'agree':
      if (job.cause?.code === 'needs-trust') {
        const { hash } = job.cause;
        void perform(key, () => engine().request('repository.trust', { repoId: job.repoId, hash }));
      }
      break;
    case 'cancel':
      if (job.state === 'running') confirmCancel(job, key);
      else void perform(key, () => engine().request('job.cancel', { jobId: job.id }));
      break;
    case 'reopen':
      void perform(key, () => engine().request('job.reopen', { jobId: job.id }));
      break;
    case 'hold':
      void perform(key, () => engine().request('job.hold', { jobId: job.id }));
      break;
    case 'release':
      if (job.cause?.code === 'tampered') openDialog({ kind: 'approve-gate-change', jobId: job.id });
      else void perform(key, () => engine().request('job.release', { jobId: job.id }));
      break;
    case 'take-over':
      void openSession({ repoId: job.repoId, kind: 'shell', jobId: job.id });
      break;
    case 'open-editor':
      void perform(key, () => engine().request('host.openEditor', { path: editorPath(job) }));
      break;
    default:
      id satisfies never;
  }
}

function confirmCancel(job: Job, key: string): void {
  openDialog({
    kind: 'confirm',
    title: `Cancel ${job.ticket.id}?`,
    text: 'Its agent is ended now. What it has changed so far is kept under a ref and does not merge.',
    verb: 'Cancel job',
    run: async () => {
      await perform(key, () => engine().request('job.cancel', { jobId: job.id }));
    },
  });
}

/** The slot that holds the job's work, else the repository itself. */
function editorPath(job: Job): string {
  const model = currentModel();
  const slot = job.slotId === undefined ? undefined : model?.slots.get(job.slotId);
  const own = slot?.jobId === job.id ? slot.path : undefined;
  return own ?? model?.repositories.get(job.repoId)?.path ?? '';
}

export function selectedJob(): Job | undefined {
  const { selectedJobId } = uiStore.getState();
  return selectedJobId === undefined ? undefined : currentModel()?.jobs.get(selectedJobId);
}
