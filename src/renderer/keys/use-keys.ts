import { useEffect } from 'react';
import { focusPaneAt, runAction } from '../actions/action-list.ts';
import { groupJobs, queueRows, stepSelection } from '../state/grouping.ts';
import { currentModel } from '../state/store.ts';
import { selectJob, uiStore } from '../state/ui-store.ts';
import { type KeyContext, resolveKey } from './key-map.ts';
import { isMac } from './platform.ts';

/** The window's one key handler. An open dialog or menu keeps its keys to itself. */
export function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const command = resolveKey(event, { mac: isMac(), focus: focusKind(event.target) });
      if (!command) return;
      if (uiStore.getState().dialog || document.querySelector('[role="menu"]')) return;
      // In a terminal the browser pastes by itself on this key, and asks no permission for it.
      if (command.kind === 'action' && command.id === 'terminal.paste') return;
      event.preventDefault();
      switch (command.kind) {
        case 'action':
          runAction(command.id);
          break;
        case 'pane':
          focusPaneAt(command.index);
          break;
        case 'step':
          step(command.step);
          break;
        case 'back':
          back();
          break;
        default:
          command satisfies never;
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function focusKind(target: EventTarget | null): KeyContext['focus'] {
  if (!(target instanceof Element)) return 'other';
  if (target.closest('.xterm')) return target.closest('[data-read-only="true"]') ? 'other' : 'terminal';
  if (target.closest('input, textarea, select, [contenteditable]')) return 'text';
  return target.closest('[data-queue]') ? 'list' : 'other';
}

function step(by: 1 | -1): void {
  const model = currentModel();
  const { view, folded, selectedJobId } = uiStore.getState();
  if (!model || view !== 'run') return;
  const next = stepSelection(queueRows(groupJobs(model.jobs, model.order), folded), selectedJobId, by);
  if (next !== undefined) selectJob(next);
}

/** Escape: first what lies on top, then the selection. */
function back(): void {
  const state = uiStore.getState();
  if (state.searchPaneId !== undefined) uiStore.setState({ searchPaneId: undefined });
  else if (state.view !== 'run') uiStore.setState({ view: 'run' });
  else if (state.inspectorMaximised) uiStore.setState({ inspectorMaximised: false });
  else if (state.maximisedPaneId !== undefined) uiStore.setState({ maximisedPaneId: undefined });
  else uiStore.setState({ selectedJobId: undefined });
}
