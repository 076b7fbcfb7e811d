import { growLayout } from '../layout/even-grid.ts';
import { insertBeside, paneAfter, removePane } from '../layout/tree.ts';
import { engine, perform } from '../state/engine.ts';
import { currentModel } from '../state/store.ts';
import { openDialog, showView, uiStore } from '../state/ui-store.ts';
import { hideTerminal } from '../terminals/registry.ts';

type OpenOptions = {
  repoId: string;
  kind: 'shell' | 'claude';
  jobId?: string;
  beside?: { paneId: string; edge: 'right' | 'bottom' } | undefined;
};

/** A size to start with; the pane's own fit follows within a frame. */
const START_SIZE = { cols: 100, rows: 30 };

/** Opens a terminal in a claimed slot and shows its pane. Resolves to whether it opened. */
export function openSession(options: OpenOptions): Promise<boolean> {
  const { repoId, kind, jobId, beside } = options;
  return perform('session.open', async () => {
    const session = await engine().request('session.open', { repoId, kind, jobId, ...START_SIZE });
    showPane(session.id, beside);
  });
}

/** Shows a session in the grid, beside a pane where one is named, and gives it focus. */
export function showPane(
  sessionId: string,
  beside?: { paneId: string; edge: 'right' | 'bottom' } | undefined,
): void {
  showView('run');
  uiStore.setState((state) => ({
    layout: beside
      ? insertBeside(state.layout, beside.paneId, sessionId, beside.edge)
      : growLayout(state.layout, sessionId, gridAspect()),
    seenSessions: new Set([...state.seenSessions, sessionId]),
    maximisedPaneId: undefined,
    inspectorMaximised: false,
  }));
  focusPane(sessionId);
}

export function gridAspect(): number {
  const grid = document.querySelector('[data-pane-grid]');
  return grid && grid.clientHeight > 0 ? grid.clientWidth / grid.clientHeight : 1.6;
}

/** The pane's terminal takes the keyboard once it is on the page and nothing is in front of it. */
export function focusPane(sessionId: string): void {
  uiStore.setState((state) => ({
    focusedPaneId: sessionId,
    focusWantedPaneId: sessionId,
    inspectorMaximised: false,
    maximisedPaneId: state.maximisedPaneId === undefined ? undefined : sessionId,
  }));
}

/** The pane goes, its session runs on; it comes back from the tray or the inspector. */
export function closePane(sessionId: string): void {
  const { layout, focusedPaneId } = uiStore.getState();
  // The keyboard goes on in the next pane instead of nowhere.
  if (focusedPaneId === sessionId) {
    const next = paneAfter(layout, sessionId);
    uiStore.setState({ focusedPaneId: next, focusWantedPaneId: next });
  }
  uiStore.setState((state) => ({
    layout: removePane(state.layout, sessionId),
    seenSessions: new Set([...state.seenSessions, sessionId]),
    maximisedPaneId: state.maximisedPaneId === sessionId ? undefined : state.maximisedPaneId,
    searchPaneId: state.searchPaneId === sessionId ? undefined : state.searchPaneId,
  }));
  hideTerminal(sessionId);
}

/** Ends an interactive session and gives its slot back; a live program is asked about first. */
export function endSession(sessionId: string): void {
  const session = currentModel()?.sessions.get(sessionId);
  const run = async (): Promise<void> => {
    const ended = await perform(`close:${sessionId}`, () => engine().request('session.close', { sessionId }));
    if (ended) closePane(sessionId);
  };
  if (session?.state !== 'live') {
    void run();
    return;
  }
  openDialog({
    kind: 'confirm',
    title: `Close ${session.title}?`,
    text: 'The program in it is ended and the slot is given back. Changed files are kept under a ref.',
    verb: 'Close session',
    run,
  });
}

export function toggleMaximised(sessionId: string): void {
  uiStore.setState((state) => ({
    maximisedPaneId: state.maximisedPaneId === sessionId ? undefined : sessionId,
    focusedPaneId: sessionId,
  }));
}
