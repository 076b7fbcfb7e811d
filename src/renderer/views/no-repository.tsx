import { NAMES } from '../names.ts';
import { openDialog } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/page.tsx';
import styles from '../ui/section.module.css';

/** What a view of repositories shows while there is none. */
export function NoRepository() {
  return (
    <Card
      title="No repository yet"
      actions={
        <Button look="primary" onClick={() => openDialog({ kind: 'add-repository' })}>
          {NAMES.addRepository}
        </Button>
      }
    >
      <p className={styles.empty}>Add one, or try the sample in the Run view.</p>
    </Card>
  );
}
