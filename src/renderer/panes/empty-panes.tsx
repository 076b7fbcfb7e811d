import { Flame, Plus, SquareTerminal } from 'lucide-react';
import { runAction } from '../actions/action-list.ts';
import { NAMES } from '../names.ts';
import { Button } from '../ui/button.tsx';
import styles from './panes.module.css';

/** A repository is there but nothing runs: what to do next. */
export function EmptyPanes() {
  return (
    <div className={styles.empty}>
      <p>Nothing runs here now. A pane opens by itself when a job starts.</p>
      <div>
        <Button look="primary" icon={Plus} onClick={() => runAction('tickets.new')}>
          {NAMES.newTickets}
        </Button>
        <Button icon={Flame} onClick={() => runAction('slots.warm')}>
          {NAMES.warmSlots}
        </Button>
        <Button icon={SquareTerminal} onClick={() => runAction('terminal.new')}>
          {NAMES.newTerminal}
        </Button>
      </div>
    </div>
  );
}
