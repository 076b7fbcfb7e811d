import type { KeyedAction } from '../keys/key-map.ts';
import { arrangeEvenly } from '../layout/even-grid.ts';
import { neighbour } from '../layout/rects.ts';
import { type Edge, paneIds, swapPanes } from '../layout/tree.ts';
import { openDialog, showToast, showView, uiStore, VIEWS, type View } from '../state/ui-store.ts';
import { findTerminal } from '../terminals/registry.ts';
import { closePane, focusPane, gridAspect, toggleMaximised } from './session-actions.ts';
import { newTickets, presentRepoId, trySample, warmPresent } from './start-actions.ts';

export type ActionId =
  | KeyedAction
  | 'repository.add'
  | 'sample.try'
  | 'panes.arrange'
  | 'queue.fold-done'
  | 'inspector.maximise';

export type Action = { id: ActionId; title: string; group: string; run: () => void };

const ui = () => uiStore.getState();

const withPane = (run: (paneId: string) => void) => (): void => {
  const { focusedPaneId, layout } = ui();
  const id = focusedPaneId ?? paneIds(layout)[0];
  if (id === undefined) showToast('info', 'There is no pane yet.');
  else run(id);
};

const move = (edge: Edge) =>
  withPane((id) => {
    const { layout } = ui();
    const other = neighbour(layout, id, edge);
    if (other !== undefined) uiStore.setState({ layout: swapPanes(layout, id, other) });
  });

const split = (edge: 'right' | 'bottom') =>
  withPane((paneId) => openDialog({ kind: 'terminal', beside: { paneId, edge } }));

const view = (name: View): Action => ({
  id: `view.${name}`,
  title: `Show ${VIEW_TITLES[name]}`,
  group: 'Views',
  run: () => showView(name),
});

export const VIEW_TITLES: Record<View, string> = {
  run: 'Run',
  slots: 'Slots',
  gate: 'Gate',
  ceiling: 'Ceiling',
  report: 'Report',
  settings: 'Settings',
};

/** Every action of the window: the palette lists them, keys and buttons run them. */
export const ACTIONS: readonly Action[] = [
  {
    id: 'tickets.new',
    title: 'New tickets',
    group: 'Work',
    run: () => newTickets(presentRepoId(ui().selectedJobId)),
  },
  {
    id: 'terminal.new',
    title: 'New terminal on a slot',
    group: 'Work',
    run: () => openDialog({ kind: 'terminal', beside: undefined }),
  },
  { id: 'slots.warm', title: 'Warm slots', group: 'Work', run: () => warmPresent(ui().selectedJobId) },
  {
    id: 'repository.add',
    title: 'Add repository',
    group: 'Work',
    run: () => openDialog({ kind: 'add-repository' }),
  },
  { id: 'sample.try', title: 'Try the sample', group: 'Work', run: () => void trySample() },
  { id: 'pane.maximise', title: 'Maximise or restore pane', group: 'Panes', run: withPane(toggleMaximised) },
  {
    id: 'pane.search',
    title: 'Search in pane',
    group: 'Panes',
    run: withPane((id) => uiStore.setState({ searchPaneId: id })),
  },
  { id: 'pane.close', title: 'Close pane to background', group: 'Panes', run: withPane(closePane) },
  { id: 'pane.split-right', title: 'Split pane to the right', group: 'Panes', run: split('right') },
  { id: 'pane.split-down', title: 'Split pane downwards', group: 'Panes', run: split('bottom') },
  { id: 'pane.move-left', title: 'Move pane left', group: 'Panes', run: move('left') },
  { id: 'pane.move-right', title: 'Move pane right', group: 'Panes', run: move('right') },
  { id: 'pane.move-up', title: 'Move pane up', group: 'Panes', run: move('top') },
  { id: 'pane.move-down', title: 'Move pane down', group: 'Panes', run: move('bottom') },
  {
    id: 'panes.arrange',
    title: 'Arrange panes evenly',
    group: 'Panes',
    run: () => uiStore.setState((state) => ({ layout: arrangeEvenly(state.layout, gridAspect()) })),
  },
  { id: 'terminal.copy', title: 'Copy selection', group: 'Panes', run: withPane(copySelection) },
  { id: 'terminal.paste', title: 'Paste into terminal', group: 'Panes', run: withPane(pasteInto) },
  { id: 'palette', title: 'Command palette', group: 'Window', run: () => openDialog({ kind: 'palette' }) },
  { id: 'focus.queue', title: 'Focus the queue', group: 'Window', run: focusQueue },
  {
    id: 'inspector.toggle',
    title: 'Show or hide the inspector',
    group: 'Window',
    run: () => uiStore.setState((state) => ({ inspectorOpen: !state.inspectorOpen })),
  },
  {
    id: 'inspector.maximise',
    title: 'Maximise or restore the inspector',
    group: 'Window',
    run: () =>
      uiStore.setState((state) => ({ inspectorMaximised: !state.inspectorMaximised, inspectorOpen: true })),
  },
  {
    id: 'queue.fold-done',
    title: 'Fold or unfold done jobs',
    group: 'Window',
    run: () =>
      uiStore.setState((state) => {
        const folded = new Set(state.folded);
        if (!folded.delete('done')) folded.add('done');
        return { folded };
      }),
  },
  ...VIEWS.map(view),
];

export function runAction(id: ActionId): void {
  ACTIONS.find((action) => action.id === id)?.run();
}

export function focusPaneAt(index: number): void {
  const id = paneIds(ui().layout)[index];
  if (id === undefined) return;
  showView('run');
  focusPane(id);
}

function copySelection(paneId: string): void {
  const text = findTerminal(paneId)?.selection() ?? '';
  if (text === '') return;
  navigator.clipboard
    ?.writeText(text)
    .catch(() => showToast('error', 'The browser refused to copy. Allow the clipboard for this page.'));
}

function pasteInto(paneId: string): void {
  navigator.clipboard
    ?.readText()
    .then((text) => findTerminal(paneId)?.paste(text))
    .catch(() => showToast('error', 'The browser refused to paste. Allow the clipboard for this page.'));
}

function focusQueue(): void {
  showView('run');
  const queue = (): HTMLElement | null => document.querySelector('[data-queue]');
  // At once where it is on the page: the next key may follow within the frame.
  if (queue()) queue()?.focus();
  else requestAnimationFrame(() => queue()?.focus());
}
