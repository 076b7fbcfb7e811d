import { openOutside } from '../terminals/links.ts';
import { Button } from '../ui/button.tsx';
import styles from './panes.module.css';

/** Shows where a link really goes before it is opened outside. */
export function LinkBar({ target, onClose }: { target: string; onClose: () => void }) {
  return (
    <div className={styles.linkBar} role="alertdialog" aria-label="Open link">
      <code title={target}>{target}</code>
      <Button
        look="primary"
        autoFocus
        onClick={() => {
          openOutside(target);
          onClose();
        }}
      >
        Open outside
      </Button>
      <Button onClick={onClose}>Cancel</Button>
    </div>
  );
}
