import { useState } from 'react';
import { toError } from '../../shared/errors.ts';
import { useTextDraft } from '../state/drafts.ts';
import { engine } from '../state/engine.ts';
import { closeDialog, type Dialog as DialogState } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorText, Field, inputClass } from '../ui/field.tsx';
import { FileList } from '../ui/file-list.tsx';

/** Accepts what the audit found, for a reason that stays beside it in the person's own policy. */
export function AcceptFinding({ dialog }: { dialog: Extract<DialogState, { kind: 'accept' }> }) {
  const { finding, repoId } = dialog;
  const {
    text: reason,
    setText: setReason,
    sent,
  } = useTextDraft(`accept.${repoId}.${finding.kind}.${finding.title}`);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const accept = async (): Promise<void> => {
    setBusy(true);
    try {
      const audit = await engine().request('gate.accept', {
        repoId,
        finding: finding.kind,
        reason: reason.trim(),
        ...(finding.files.length > 0 ? { files: [...finding.files] } : {}),
      });
      sent();
      dialog.accepted(audit);
      closeDialog();
    } catch (thrown) {
      setError(toError(thrown).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Accept finding"
      onClose={closeDialog}
      onSubmit={() => {
        if (reason.trim() !== '') void accept();
      }}
      footer={
        <>
          <Button onClick={closeDialog}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={reason.trim() === ''}>
            Accept
          </Button>
        </>
      }
    >
      <p>{finding.title}</p>
      <FileList files={finding.files} label="Files" />
      <Field
        label="Reason"
        hint={`It goes into your own policy of this repository. ${finding.files.length > 0 ? 'What is found in other files is reported again.' : 'It holds for all findings of this kind.'}`}
      >
        <input
          className={inputClass}
          value={reason}
          maxLength={500}
          data-first
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      {error !== undefined && <ErrorText>{error}</ErrorText>}
    </Dialog>
  );
}
