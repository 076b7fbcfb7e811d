import { type RefObject, useEffect } from 'react';
import { fitLayout } from '../layout/even-grid.ts';
import { placeSessions, sensiblePaneCount } from '../layout/placement.ts';
import { loadLayout, saveLayout } from '../layout/storage.ts';
import { hasPane } from '../layout/tree.ts';
import { engineStore } from '../state/store.ts';
import { uiStore } from '../state/ui-store.ts';

/** Opens panes for new sessions as they come, and keeps the layout for the next start. */
export function usePlacement(grid: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const place = (): void => {
      const { model } = engineStore.getState();
      const element = grid.current;
      if (!model || !element || element.clientWidth === 0) return;
      const { layout, seenSessions, focusedPaneId, maximisedPaneId } = uiStore.getState();
      const next = placeSessions({
        layout,
        sessions: model.sessions,
        jobs: model.jobs,
        seen: seenSessions,
        focusedId: focusedPaneId,
        limit: sensiblePaneCount(element.clientWidth, element.clientHeight),
        aspect: element.clientWidth / element.clientHeight,
      });
      if (next.layout === layout && next.seen === seenSessions) return;
      uiStore.setState({
        layout: next.layout,
        seenSessions: next.seen,
        focusedPaneId: focusedPaneId && hasPane(next.layout, focusedPaneId) ? focusedPaneId : undefined,
        maximisedPaneId:
          maximisedPaneId && hasPane(next.layout, maximisedPaneId) ? maximisedPaneId : undefined,
      });
    };
    place();
    const unsubscribe = engineStore.subscribe((state, before) => {
      if (state.model?.sessions !== before.model?.sessions) place();
    });
    let squeezed: readonly string[] = [];
    const resizes = new ResizeObserver(([entry]) => {
      const { model } = engineStore.getState();
      if (!entry || !model) return;
      const { layout, focusedPaneId } = uiStore.getState();
      const next = fitLayout(
        { layout, squeezed: squeezed.filter((id) => model.sessions.has(id)), keepId: focusedPaneId },
        entry.contentRect.width,
        entry.contentRect.height,
      );
      squeezed = next.squeezed;
      if (next.layout !== layout) uiStore.setState({ layout: next.layout });
    });
    if (grid.current) resizes.observe(grid.current);
    return () => {
      unsubscribe();
      resizes.disconnect();
    };
  }, [grid]);
}

/** Reads the stored layout, then stores each change. Called once, before the first render. */
export function keepLayout(): void {
  const saved = loadLayout();
  if (saved) uiStore.setState({ layout: saved.layout, seenSessions: new Set(saved.seen) });
  uiStore.subscribe((state, before) => {
    if (state.layout === before.layout && state.seenSessions === before.seenSessions) return;
    saveLayout({ layout: state.layout, seen: [...state.seenSessions] });
  });
}
