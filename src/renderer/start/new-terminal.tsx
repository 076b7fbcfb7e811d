import { useState } from 'react';
import type { AgentInfo, Repository } from '../../shared/domain.ts';
import { openSession, showPane } from '../actions/session-actions.ts';
import { presentRepoId } from '../actions/start-actions.ts';
import { backgroundSessions } from '../layout/placement.ts';
import { NAMES } from '../names.ts';
import { currentModel, useModel } from '../state/store.ts';
import { closeDialog, uiStore, useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, inputClass } from '../ui/field.tsx';
import { Words } from '../ui/words.tsx';
import styles from './start.module.css';

const NO_REPOSITORIES: ReadonlyMap<string, Repository> = new Map();
const NO_AGENTS: readonly AgentInfo[] = [];
const MAX_SHOWN = 12;

type Props = { beside: { paneId: string; edge: 'right' | 'bottom' } | undefined };

/** A shell or `claude` in a slot of its own, or, for a split, a session that runs in the background. */
export function NewTerminal({ beside }: Props) {
  const repositories = useModel((model) => model.repositories, NO_REPOSITORIES);
  const agents = useModel((model) => model.agents, NO_AGENTS);
  const [repoId, setRepoId] = useState(() => presentRepoId(uiStore.getState().selectedJobId));
  const opening = useUi((state) => state.busy.has('session.open'));
  const claude = agents.find((agent) => agent.id === 'claude-code');
  const model = currentModel();
  const hidden = beside && model ? backgroundSessions(uiStore.getState().layout, model.sessions) : [];
  const open = async (kind: 'shell' | 'claude'): Promise<void> => {
    if (repoId !== undefined && (await openSession({ repoId, kind, beside }))) closeDialog();
  };
  return (
    <Dialog
      title={NAMES.newTerminal}
      onClose={closeDialog}
      footer={
        <>
          <Button onClick={closeDialog}>Cancel</Button>
          <Button
            busy={opening}
            disabled={repoId === undefined || !claude?.available}
            onClick={() => void open('claude')}
          >
            Open Claude
          </Button>
          <Button
            data-first
            look="primary"
            busy={opening}
            disabled={repoId === undefined}
            onClick={() => void open('shell')}
          >
            Open shell
          </Button>
        </>
      }
    >
      {repositories.size === 0 ? (
        <p>Add a repository first: a terminal works in one of its slots.</p>
      ) : (
        <Field
          label="Repository"
          hint="It starts from the base branch, in a slot that no job uses meanwhile."
        >
          <select className={inputClass} value={repoId} onChange={(event) => setRepoId(event.target.value)}>
            {[...repositories.values()].map((repository) => (
              <option key={repository.id} value={repository.id}>
                {repository.name} ({repository.base})
              </option>
            ))}
          </select>
        </Field>
      )}
      {claude && !claude.available && (
        <p className={styles.dim}>
          {claude.label}: <Words text={claude.hint ?? 'not installed'} />
        </p>
      )}
      {hidden.length > 0 && (
        <div>
          <p className={styles.dim}>Or show what runs in the background:</p>
          <div className={styles.tabs}>
            {hidden.slice(0, MAX_SHOWN).map((session) => (
              <Button
                key={session.id}
                onClick={() => {
                  closeDialog();
                  showPane(session.id, beside);
                }}
              >
                {session.title}
              </Button>
            ))}
          </div>
        </div>
      )}
    </Dialog>
  );
}
