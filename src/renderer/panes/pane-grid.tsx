import { type PointerEvent, useCallback, useMemo, useRef, useState } from 'react';
import { type Border, type DropPlace, dropPlace, layoutRects, type Rect } from '../layout/rects.ts';
import { insertBeside, resizeSplit, swapPanes } from '../layout/tree.ts';
import { NAMES } from '../names.ts';
import { uiStore, useUi } from '../state/ui-store.ts';
import { EmptyPanes } from './empty-panes.tsx';
import { Pane } from './pane.tsx';
import { PaneBorder } from './pane-border.tsx';
import styles from './panes.module.css';
import { Tray } from './tray.tsx';
import { usePlacement } from './use-placement.ts';

const MIN_SHARE = 0.08;
/** Movement before a press on a title counts as a drag. */
const DRAG_PX = 6;

/**
 * The grid places panes by computed rectangles under stable keys: a pane that moves keeps its element, so its terminal
 * is never taken apart.
 */
export function PaneGrid() {
  const layout = useUi((state) => state.layout);
  const maximisedId = useUi((state) => state.maximisedPaneId);
  const grid = useRef<HTMLDivElement>(null);
  const [drop, setDrop] = useState<DropPlace>();
  usePlacement(grid);
  const { panes, borders } = useMemo(() => layoutRects(layout), [layout]);
  // A stable order keeps elements where they are in the document while their places change.
  const stable = useMemo(() => [...panes].sort((a, b) => (a.id < b.id ? -1 : 1)), [panes]);

  const startDrag = useCallback((start: PointerEvent, sessionId: string): void => {
    const box = grid.current?.getBoundingClientRect();
    if (!box) return;
    let place: DropPlace | undefined;
    let dragging = false;
    const move = (event: globalThis.PointerEvent): void => {
      dragging ||= Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > DRAG_PX;
      if (!dragging) return;
      const at = dropPlace(
        uiStore.getState().layout,
        (event.clientX - box.left) / box.width,
        (event.clientY - box.top) / box.height,
      );
      place = at?.targetId === sessionId ? undefined : at;
      setDrop(place);
    };
    const end = (): void => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      setDrop(undefined);
      if (place) movePane(sessionId, place);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  }, []);

  const target = drop && panes.find((pane) => pane.id === drop.targetId);
  return (
    <section className={styles.area} aria-label={NAMES.panes}>
      <div ref={grid} className={styles.grid} data-pane-grid>
        {panes.length === 0 && <EmptyPanes />}
        {stable.map((pane) => (
          <div
            key={pane.id}
            className={styles.place}
            style={pane.id === maximisedId ? placeStyle(FULL) : placeStyle(pane)}
            hidden={maximisedId !== undefined && pane.id !== maximisedId}
          >
            <Pane sessionId={pane.id} onDragStart={startDrag} />
          </div>
        ))}
        {maximisedId === undefined &&
          borders.map((border) => (
            <PaneBorder
              key={`${border.path.join('.')}:${border.index}`}
              border={border}
              style={placeStyle(border)}
              onMove={(deltaPx) => moveBorder(grid.current, border, deltaPx)}
            />
          ))}
        {target && drop && <div className={styles.drop} style={placeStyle(dropRect(target, drop.place))} />}
      </div>
      <Tray />
    </section>
  );
}

const FULL: Rect = { left: 0, top: 0, width: 1, height: 1 };

const percent = (share: number): string => `${share * 100}%`;

const placeStyle = (rect: Rect) => ({
  left: percent(rect.left),
  top: percent(rect.top),
  ...(rect.width > 0 ? { width: percent(rect.width) } : {}),
  ...(rect.height > 0 ? { height: percent(rect.height) } : {}),
});

function moveBorder(grid: HTMLElement | null, border: Border, deltaPx: number): void {
  if (!grid) return;
  const wholePx = border.direction === 'row' ? grid.clientWidth : grid.clientHeight;
  const delta = deltaPx / (wholePx * border.extent);
  uiStore.setState((state) => ({
    layout: resizeSplit(state.layout, border.path, border.index, delta, MIN_SHARE),
  }));
}

function movePane(sessionId: string, drop: DropPlace): void {
  uiStore.setState((state) => ({
    layout:
      drop.place === 'centre'
        ? swapPanes(state.layout, sessionId, drop.targetId)
        : insertBeside(state.layout, drop.targetId, sessionId, drop.place),
    focusedPaneId: sessionId,
  }));
}

function dropRect(pane: Rect, place: DropPlace['place']): Rect {
  switch (place) {
    case 'left':
      return { ...pane, width: pane.width / 2 };
    case 'right':
      return { ...pane, left: pane.left + pane.width / 2, width: pane.width / 2 };
    case 'top':
      return { ...pane, height: pane.height / 2 };
    case 'bottom':
      return { ...pane, top: pane.top + pane.height / 2, height: pane.height / 2 };
    case 'centre':
      return pane;
    default:
      return place satisfies never;
  }
}
