import { useState } from 'react';
import type { KeptWork } from '../../shared/contract.ts';
import { toError } from '../../shared/errors.ts';
import { engine } from '../state/engine.ts';
import { closeDialog, showToast } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorText, Field, inputClass } from '../ui/field.tsx';
import { FileList } from '../ui/file-list.tsx';
import { branchFor, keptName } from '../views/kept-name.ts';

/** Puts kept work as a new branch into the user's repository. */
export function RecoverWork({ kept }: { kept: KeptWork }) {
  const [branch, setBranch] = useState(() => branchFor(kept));
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const recover = async (): Promise<void> => {
    setBusy(true);
    try {
      const { repoId, ref } = kept;
      const made = await engine().request('kept.recover', { repoId, ref, branch: branch.trim() });
      showToast('info', `Branch ${made.branch} is at ${made.commit.slice(0, 10)}.`);
      closeDialog();
    } catch (thrown) {
      setError(toError(thrown).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Recover as branch"
      onClose={closeDialog}
      onSubmit={() => {
        if (branch.trim() !== '') void recover();
      }}
      footer={
        <>
          <Button onClick={closeDialog}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={branch.trim() === ''}>
            Recover
          </Button>
        </>
      }
    >
      <p>{keptName(kept)}</p>
      <FileList files={kept.files} count={kept.fileCount} label="Files" />
      <Field
        label="Branch"
        hint="A new one in your repository. What is checked out stays as it is, and no branch is moved."
      >
        <input
          className={inputClass}
          value={branch}
          maxLength={200}
          spellCheck={false}
          data-first
          onChange={(event) => setBranch(event.target.value)}
        />
      </Field>
      {error !== undefined && <ErrorText>{error}</ErrorText>}
    </Dialog>
  );
}
