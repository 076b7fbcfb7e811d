import { useState } from 'react';
import type { Job } from '../../shared/domain.ts';
import { engine, perform } from '../state/engine.ts';
import { useModel } from '../state/store.ts';
import { closeDialog } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FileList } from '../ui/file-list.tsx';
import { DiffLines } from './diff-tab.tsx';
import styles from './inspector.module.css';
import { useJobDiff } from './use-job-detail.ts';

/** The most that one answer may hold: what is not shown can't be approved here. */
const LIMIT_BYTES = 4_000_000;

/** The yes to a change of the gate: to what is shown, by two acts that are unlike each other, and never by Enter. */
export function ApproveGateChange({ jobId }: { jobId: string }) {
  const job = useModel((model) => model.jobs.get(jobId), undefined);
  if (!job) return null;
  return <Review job={job} />;
}

function Review({ job }: { job: Job }) {
  const loaded = useJobDiff(job, LIMIT_BYTES);
  /** The diff that was read: another one has to be read anew. */
  const [read, setRead] = useState<string>();
  const [busy, setBusy] = useState(false);
  const shown = loaded.state === 'ready' && !loaded.value.cut ? loaded.value : undefined;
  const approved = shown !== undefined && read === shown.hash;
  const approve = async (): Promise<void> => {
    if (!approved) return;
    setBusy(true);
    const done = await perform(`release:${job.id}`, () =>
      engine().request('job.release', { jobId: job.id, gateChange: shown.hash }),
    );
    setBusy(false);
    if (done) closeDialog();
  };
  return (
    <Dialog
      title={`${job.ticket.id} changes its own gate`}
      widthPx={900}
      onClose={closeDialog}
      footer={
        <>
          <Button data-first onClick={closeDialog}>
            Keep it held
          </Button>
          <Button
            look="danger"
            busy={busy}
            disabled={!approved}
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            onClick={() => void approve()}
          >
            Approve the gate change and release
          </Button>
        </>
      }
    >
      <p>What decides whether it may merge would be changed by it:</p>
      <FileList files={job.cause?.code === 'tampered' ? job.cause.files : []} label="Files" />
      {loaded.state === 'failed' && <p role="alert">{loaded.why}</p>}
      {loaded.state === 'loading' && <p>Loading…</p>}
      {loaded.state === 'ready' && loaded.value.cut && (
        <p role="alert">
          This change is too large to be shown here whole. Read it on the command line: headway jobs release{' '}
          {job.ticket.id}
        </p>
      )}
      {shown && (
        <>
          <div className={styles.review}>
            <DiffLines diff={shown.diff} cut={false} />
          </div>
          <label>
            <input
              type="checkbox"
              checked={approved}
              onChange={(event) => setRead(event.target.checked ? shown.hash : undefined)}
            />{' '}
            I have read this change, and the gate may change so
          </label>
        </>
      )}
    </Dialog>
  );
}
