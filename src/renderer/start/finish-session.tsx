import { useEffect } from 'react';
import { closePane } from '../actions/session-actions.ts';
import { NAMES } from '../names.ts';
import { useTextDraft } from '../state/drafts.ts';
import { engine, perform } from '../state/engine.ts';
import { holdsSlot } from '../state/holds-slot.ts';
import { useModel } from '../state/store.ts';
import { closeDialog, selectJob, useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, inputClass } from '../ui/field.tsx';

/** Sends what a person changed in a session through gate and merge, as a job with a title. */
export function FinishSession({ sessionId }: { sessionId: string }) {
  const session = useModel((model) => model.sessions.get(sessionId), undefined);
  const { text: title, setText: setTitle, sent } = useTextDraft(`finish.${sessionId}`);
  const busy = useUi((state) => state.busy.has(`finish:${sessionId}`));
  const over = useModel((model) => !holdsSlot(model, sessionId), false);
  // It ends also where nothing was changed; then there is nothing to try again.
  useEffect(() => {
    if (over && !busy) closeDialog();
  }, [over, busy]);
  const finish = (): Promise<boolean> =>
    perform(`finish:${sessionId}`, async () => {
      const job = await engine().request('session.finish', { sessionId, title: title.trim() });
      sent();
      closeDialog();
      closePane(sessionId);
      selectJob(job.id);
    });
  return (
    <Dialog
      title="Finish session"
      onClose={closeDialog}
      onSubmit={() => {
        if (title.trim() !== '') void finish();
      }}
      footer={
        <>
          <Button onClick={closeDialog}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={title.trim() === ''}>
            {NAMES.finishSession}
          </Button>
        </>
      }
    >
      {session?.state === 'live' && <p>The program in the session is ended first.</p>}
      <Field label="Title" hint="The commit and its job get this title. Only a green gate merges.">
        <input
          className={inputClass}
          value={title}
          maxLength={200}
          data-first
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
