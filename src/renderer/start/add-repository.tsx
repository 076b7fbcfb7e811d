import { useCallback, useEffect, useState } from 'react';
import type { Inspection } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { NAMES } from '../names.ts';
import { engine, perform } from '../state/engine.ts';
import { closeDialog, openDialog, useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorText, Field, inputClass } from '../ui/field.tsx';
import { InspectionFacts } from './inspection-facts.tsx';
import styles from './start.module.css';

/** Pick a folder, or type its path; see what is in it; add it, which agrees to the commands shown. */
export function AddRepository() {
  const [path, setPath] = useState('');
  const [canPick, setCanPick] = useState(false);
  const [inspecting, setInspecting] = useState(false);
  const [inspection, setInspection] = useState<Inspection>();
  const [error, setError] = useState<string>();
  const adding = useUi((state) => state.busy.has('repository.add'));

  const inspect = useCallback(async (where: string, base?: string): Promise<void> => {
    setInspecting(true);
    setError(undefined);
    // Of another branch of the same repository: what is shown stays until the new answer replaces it.
    if (base === undefined) setInspection(undefined);
    try {
      setInspection(await engine().request('repository.inspect', { path: where, base }));
    } catch (thrown) {
      setError(toError(thrown).message);
    } finally {
      setInspecting(false);
    }
  }, []);

  const pick = useCallback(async (): Promise<void> => {
    try {
      const picked = await engine().request('host.pickFolder', {});
      setCanPick(picked.available);
      if (picked.path === undefined) return;
      setPath(picked.path);
      await inspect(picked.path);
    } catch (thrown) {
      setError(toError(thrown).message);
    }
  }, [inspect]);

  useEffect(() => void pick(), [pick]);

  const add = (found: Inspection): Promise<boolean> =>
    perform('repository.add', async () => {
      const repository = await engine().request('repository.add', { path: found.path, base: found.base });
      if (repository.trustedHash !== found.commandsHash) {
        await engine().request('repository.trust', { repoId: repository.id, hash: found.commandsHash });
      }
      openDialog({ kind: 'tickets', repoId: repository.id, files: [] });
    });

  return (
    <Dialog
      title={NAMES.addRepository}
      onClose={closeDialog}
      footer={
        <>
          {inspection && inspection.gate.length > 0 && (
            <span className={styles.dim}>Adding it agrees to these commands.</span>
          )}
          <Button onClick={closeDialog}>Cancel</Button>
          <Button
            look="primary"
            disabled={!inspection || inspecting}
            busy={adding}
            onClick={() => inspection && void add(inspection)}
          >
            {NAMES.addRepository}
          </Button>
        </>
      }
    >
      <form
        className={styles.pathRow}
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== '') void inspect(path.trim());
        }}
      >
        <Field label="Path of the repository">
          <input
            data-first
            className={inputClass}
            value={path}
            placeholder="/home/me/project"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => {
              setPath(event.target.value);
              setInspection(undefined);
            }}
          />
        </Field>
        <Button type="submit" busy={inspecting} disabled={path.trim() === ''}>
          Look at it
        </Button>
        {canPick && <Button onClick={() => void pick()}>Choose folder</Button>}
      </form>
      {inspecting && <p className={styles.dim}>Looking at it…</p>}
      {error && <ErrorText>{error}</ErrorText>}
      {inspection && (
        <InspectionFacts inspection={inspection} onBase={(base) => void inspect(inspection.path, base)} />
      )}
    </Dialog>
  );
}
