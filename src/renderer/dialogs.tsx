import { ApproveGateChange } from './inspector/approve-gate-change.tsx';
import { Palette } from './palette/palette.tsx';
import { PasteQuestion } from './panes/paste-question.tsx';
import { AcceptFinding } from './start/accept-finding.tsx';
import { AddRepository } from './start/add-repository.tsx';
import { Confirm } from './start/confirm.tsx';
import { FinishSession } from './start/finish-session.tsx';
import { NewTerminal } from './start/new-terminal.tsx';
import { NewTickets } from './start/new-tickets.tsx';
import { RecoverWork } from './start/recover-work.tsx';
import { useUi } from './state/ui-store.ts';

/** The one dialog that is open, if any. */
export function Dialogs() {
  const dialog = useUi((state) => state.dialog);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'palette':
      return <Palette />;
    case 'add-repository':
      return <AddRepository />;
    case 'tickets':
      return <NewTickets repoId={dialog.repoId} files={dialog.files} />;
    case 'terminal':
      return <NewTerminal beside={dialog.beside} />;
    case 'finish':
      return <FinishSession sessionId={dialog.sessionId} />;
    case 'accept':
      return <AcceptFinding dialog={dialog} />;
    case 'recover':
      return <RecoverWork kept={dialog.kept} />;
    case 'approve-gate-change':
      return <ApproveGateChange jobId={dialog.jobId} />;
    case 'paste':
      return <PasteQuestion dialog={dialog} />;
    case 'confirm':
      return <Confirm dialog={dialog} />;
    default:
      return dialog satisfies never;
  }
}
