import { GitBranch, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { KeptWork as Kept } from '../../shared/contract.ts';
import { engine, perform } from '../state/engine.ts';
import { useModel } from '../state/store.ts';
import { openDialog, selectJob, showView, useUi } from '../state/ui-store.ts';
import { useAnswer } from '../state/use-answer.ts';
import { Button, IconButton, LinkButton } from '../ui/button.tsx';
import { Ago } from '../ui/elapsed.tsx';
import { FileList } from '../ui/file-list.tsx';
import { Card } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { keptName } from './kept-name.ts';
import own from './reports.module.css';

const FIRST_SHOWN = 10;

/** What attempts and sessions made and that is on no branch of the user's yet. */
export function KeptWork() {
  const { value, error, asking, ask } = useAnswer('kept', () => engine().request('kept.list', {}));
  const [all, setAll] = useState(false);
  const kept = value?.kept ?? [];
  const shown = all ? kept : kept.slice(0, FIRST_SHOWN);
  return (
    <Card
      title="Saved work"
      detail="Unmerged work of attempts and sessions. It stays until you delete it."
      actions={
        <Button icon={RefreshCw} busy={asking} onClick={ask}>
          Look again
        </Button>
      }
    >
      {error !== undefined && (
        <p className={styles.empty} role="alert">
          Saved work can not be read: {error}
        </p>
      )}
      {!value && error === undefined && <p className={styles.empty}>Looking for saved work…</p>}
      {value && kept.length === 0 && (
        <p className={styles.empty}>
          No saved work. Work of an attempt that fails or is cancelled shows here.
        </p>
      )}
      {shown.length > 0 && (
        <ul aria-label="Saved work">
          {shown.map((each) => (
            <KeptRow key={`${each.repoId}:${each.ref}`} kept={each} onDropped={ask} />
          ))}
        </ul>
      )}
      {kept.length > shown.length && (
        <div className={own.more}>
          <LinkButton onClick={() => setAll(true)}>Show all {kept.length}</LinkButton>
        </div>
      )}
    </Card>
  );
}

function KeptRow({ kept, onDropped }: { kept: Kept; onDropped: () => void }) {
  const repository = useModel((model) => model.repositories.get(kept.repoId)?.name, undefined);
  const known = useModel((model) => kept.jobId !== undefined && model.jobs.has(kept.jobId), false);
  const busy = useUi((state) => state.busy.has(`drop:${kept.ref}`));
  const name = keptName(kept);
  const drop = async (): Promise<void> => {
    const { repoId, ref } = kept;
    const done = await perform(`drop:${ref}`, () => engine().request('kept.drop', { repoId, ref }));
    if (done) onDropped();
  };
  return (
    <li className={own.kept} aria-label={name}>
      <span className={styles.dim}>
        <Ago at={kept.at} />
      </span>
      <div className={own.findingBody}>
        <h4>
          {known && kept.jobId !== undefined ? (
            <LinkButton
              onClick={() => {
                showView('run');
                selectJob(kept.jobId);
              }}
            >
              {name}
            </LinkButton>
          ) : (
            name
          )}
          {kept.state !== undefined && <span className={own.badge}>{kept.state}</span>}
          {kept.landed && <span className={own.badge}>on the base already</span>}
        </h4>
        <p>
          {repository !== undefined && `${repository} · `}
          <code title={`${kept.ref} ${kept.commit}`}>{kept.commit.slice(0, 10)}</code> ·{' '}
          {kept.fileCount === 1 ? '1 file' : `${kept.fileCount} files`}
        </p>
        <FileList files={kept.files} count={kept.fileCount} label="Files" />
      </div>
      <div className={own.findingTools}>
        <Button
          icon={GitBranch}
          aria-label={`Recover as branch: ${name}`}
          onClick={() => openDialog({ kind: 'recover', kept })}
        >
          Recover as branch
        </Button>
        <IconButton
          icon={Trash2}
          label={`Let go of ${name}`}
          disabled={busy}
          onClick={() =>
            kept.landed
              ? void drop()
              : openDialog({
                  kind: 'confirm',
                  title: 'Let go of this work?',
                  text: `${name}: ${kept.fileCount === 1 ? '1 file' : `${kept.fileCount} files`} that are not on the base. It can not be brought back.`,
                  verb: 'Let it go',
                  run: drop,
                })
          }
        />
      </div>
    </li>
  );
}
