import { useEffect, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Kbd } from './button.tsx';
import { classes } from './classes.ts';
import styles from './menu.module.css';
import { wayBack } from './way-back.ts';

export type MenuItem = {
  id: string;
  label: string;
  hint?: string | undefined;
  danger?: boolean;
  disabled?: boolean;
  run: () => void;
};
export type MenuPlace = { x: number; y: number };

const MARGIN_PX = 8;

/** A context menu at a point; arrows move, Escape and a click elsewhere close, focus returns. */
export function Menu(props: {
  label: string;
  items: readonly MenuItem[];
  at: MenuPlace;
  onClose: () => void;
}) {
  const { label, items, at, onClose } = props;
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = ref.current;
    if (!menu) return;
    menu.style.left = `${Math.max(MARGIN_PX, Math.min(at.x, innerWidth - menu.offsetWidth - MARGIN_PX))}px`;
    menu.style.top = `${Math.max(MARGIN_PX, Math.min(at.y, innerHeight - menu.offsetHeight - MARGIN_PX))}px`;
  }, [at]);
  useEffect(() => {
    const back = wayBack();
    ref.current?.querySelector('button')?.focus();
    return back;
  }, []);
  useEffect(() => {
    const close = (event: Event): void => {
      if (!ref.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('mousedown', close, true);
    addEventListener('resize', onClose);
    return () => {
      document.removeEventListener('mousedown', close, true);
      removeEventListener('resize', onClose);
    };
  }, [onClose]);
  const buttons = (): readonly HTMLElement[] => [
    ...(ref.current?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? []),
  ];
  const move = (step: number): void => {
    const all = buttons();
    const index = all.indexOf(document.activeElement as HTMLElement);
    all[(index + step + all.length) % all.length]?.focus();
  };
  return createPortal(
    <div
      ref={ref}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      className={styles.menu}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape' || event.key === 'Tab') onClose();
        else if (event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowUp') move(-1);
        else if (event.key === 'Home') buttons()[0]?.focus();
        else if (event.key === 'End') buttons().at(-1)?.focus();
        else return;
        event.preventDefault();
      }}
    >
      {items.map((item) => (
        <button
          key={item.id}
          type="button"
          role="menuitem"
          className={classes(styles.item, item.danger && styles.danger)}
          disabled={item.disabled}
          onClick={() => {
            onClose();
            item.run();
          }}
        >
          {item.label}
          {item.hint && <Kbd>{item.hint}</Kbd>}
        </button>
      ))}
    </div>,
    document.body,
  );
}
