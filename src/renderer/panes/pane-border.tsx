import { type CSSProperties, useState } from 'react';
import type { Border } from '../layout/rects.ts';
import styles from './panes.module.css';

const KEY_STEP_PX = 24;

/** A border between panes: dragged, or moved with the arrow keys. */
export function PaneBorder(props: {
  border: Border;
  style: CSSProperties;
  onMove: (deltaPx: number) => void;
}) {
  const { border, style, onMove } = props;
  const [dragging, setDragging] = useState(false);
  const inRow = border.direction === 'row';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is a control, an hr is not
    <div
      className={styles.border}
      style={style}
      role="separator"
      aria-label="Resize panes"
      aria-orientation={inRow ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round((inRow ? border.left : border.top) * 100)}
      tabIndex={0}
      data-direction={border.direction}
      data-dragging={dragging}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
      }}
      onPointerMove={(event) => {
        if (dragging) onMove(inRow ? event.movementX : event.movementY);
      }}
      onPointerUp={() => setDragging(false)}
      onLostPointerCapture={() => setDragging(false)}
      onKeyDown={(event) => {
        const back = inRow ? 'ArrowLeft' : 'ArrowUp';
        const on = inRow ? 'ArrowRight' : 'ArrowDown';
        if (event.ctrlKey || event.metaKey || (event.key !== back && event.key !== on)) return;
        event.preventDefault();
        onMove(event.key === on ? KEY_STEP_PX : -KEY_STEP_PX);
      }}
    />
  );
}
