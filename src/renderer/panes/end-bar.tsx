import type { Session } from '../../shared/domain.ts';
import { endSession } from '../actions/session-actions.ts';
import { NAMES } from '../names.ts';
import { openDialog, useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import styles from './panes.module.css';

/** The way out of an interactive session, while its program runs and after it has ended. */
export function EndBar({ session }: { session: Session }) {
  const closing = useUi((state) => state.busy.has(`close:${session.id}`));
  const text =
    session.state === 'live'
      ? 'A slot of its own: nothing merges until you say so.'
      : `The program ended${session.exitCode ? ` with exit code ${session.exitCode}` : ''}. Its slot still holds the work.`;
  return (
    <div className={styles.endBar}>
      <span title={text}>{text}</span>
      <Button
        look={session.state === 'live' ? 'default' : 'primary'}
        onClick={() => openDialog({ kind: 'finish', sessionId: session.id })}
      >
        {NAMES.finishSession}
      </Button>
      <Button busy={closing} onClick={() => endSession(session.id)}>
        Close
      </Button>
    </div>
  );
}
