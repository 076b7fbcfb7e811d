import { useState } from 'react';
import { closeDialog, type Dialog as DialogState } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before something is lost; nothing else asks. */
export function Confirm({ dialog }: { dialog: Extract<DialogState, { kind: 'confirm' }> }) {
  const [busy, setBusy] = useState(false);
  return (
    <Dialog
      title={dialog.title}
      widthPx={440}
      onClose={closeDialog}
      footer={
        <>
          <Button data-first onClick={closeDialog}>
            Keep it
          </Button>
          <Button
            look="danger"
            busy={busy}
            onClick={() => {
              setBusy(true);
              void dialog.run().finally(closeDialog);
            }}
          >
            {dialog.verb}
          </Button>
        </>
      }
    >
      <p>{dialog.text}</p>
    </Dialog>
  );
}
