import { closeDialog, type Dialog as DialogState } from '../state/ui-store.ts';
import { removedText, shownLines } from '../terminals/pasted-text.ts';
import { findTerminal } from '../terminals/registry.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import styles from './panes.module.css';

const MAX_LINES = 2000;

/** A program that takes a paste as typed runs each line of it: they are shown before that. */
export function PasteQuestion({ dialog }: { dialog: Extract<DialogState, { kind: 'paste' }> }) {
  const lines = shownLines(dialog.text);
  const count = lines.length === 1 ? 'this line' : `these ${lines.length} lines`;
  return (
    <Dialog
      title={`Paste ${count}?`}
      widthPx={720}
      onClose={closeDialog}
      footer={
        <>
          {/* Enter is what a person presses after a paste: it must not be the answer. */}
          <Button data-first onClick={closeDialog}>
            Cancel
          </Button>
          <Button
            look="danger"
            onClick={() => {
              closeDialog();
              findTerminal(dialog.sessionId)?.pasteConfirmed(dialog.text);
            }}
          >
            Paste
          </Button>
        </>
      }
    >
      <p>
        The program in this terminal takes pasted text as if you had typed it: a shell runs each line at once.
        {dialog.removed > 0 && ` ${removedText(dialog.removed)}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={styles.pasted} aria-label="Text to paste" tabIndex={0}>
        {lines.slice(0, MAX_LINES).join('\n')}
      </section>
      {lines.length > MAX_LINES && <p>{lines.length - MAX_LINES} more lines are not shown here.</p>}
    </Dialog>
  );
}
