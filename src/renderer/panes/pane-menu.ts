import type { Job, Session } from '../../shared/domain.ts';
import { runAction } from '../actions/action-list.ts';
import { jobActions, runJobAction } from '../actions/job-actions.ts';
import { endSession } from '../actions/session-actions.ts';
import { chordOf, type KeyedAction, keyLabel } from '../keys/key-map.ts';
import { inBrowser, isMac } from '../keys/platform.ts';
import { NAMES } from '../names.ts';
import { openDialog, selectJob, uiStore } from '../state/ui-store.ts';
import type { MenuItem } from '../ui/menu.tsx';

/** What a pane's menu offers: its place first, then its job, and the ways out of a session that is unfinished. */
export function paneMenu(session: Session, job: Job | undefined, unfinished: boolean): readonly MenuItem[] {
  const run =
    (id: 'pane.split-right' | 'pane.split-down' | 'pane.maximise' | 'pane.search' | 'terminal.copy') =>
    (): void => {
      uiStore.setState({ focusedPaneId: session.id });
      runAction(id);
    };
  const items: MenuItem[] = [
    item('pane.maximise', 'Maximise or restore', run('pane.maximise')),
    item('pane.search', 'Search', run('pane.search')),
    item('pane.split-right', 'Split to the right', run('pane.split-right')),
    item('pane.split-down', 'Split downwards', run('pane.split-down')),
    item('terminal.copy', 'Copy selection', run('terminal.copy')),
    { id: 'arrange', label: 'Arrange panes evenly', run: () => runAction('panes.arrange') },
  ];
  if (job) {
    items.push({ id: 'inspect', label: 'Show in inspector', run: () => selectJob(job.id) });
    for (const action of jobActions(job)) {
      items.push({ ...action, danger: action.id === 'cancel', run: () => runJobAction(job, action.id) });
    }
  }
  if (unfinished) {
    items.push(
      {
        id: 'finish',
        label: NAMES.finishSession,
        run: () => openDialog({ kind: 'finish', sessionId: session.id }),
      },
      { id: 'end', label: 'Close session', danger: true, run: () => endSession(session.id) },
    );
  }
  return items;
}

const item = (id: KeyedAction, label: string, run: () => void): MenuItem => ({
  id,
  label,
  hint: keyLabel(chordOf(id, inBrowser()), isMac()),
  run,
});
