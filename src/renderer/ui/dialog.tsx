import { X } from 'lucide-react';
import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { Toasts } from './toasts.tsx';
import { wayBack } from './way-back.ts';

type Props = {
  title: string;
  widthPx?: number;
  bare?: boolean;
  onClose: () => void;
  /** Enter in a field and the submit button of the footer do this. */
  onSubmit?: () => void;
  footer?: ReactNode;
  children: ReactNode;
};

/**
 * A modal on the browser's own dialog element: it traps focus, closes on Escape and gives focus back. Focus begins on
 * the element marked `data-first`. Notices show in it while it is open: behind it they could be neither read nor dismissed.
 */
export function Dialog({ title, widthPx, bare, onClose, onSubmit, footer, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    const back = wayBack();
    dialog?.showModal();
    // The browser would take the first button, which closes.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      dialog?.close();
      back();
    };
  }, []);
  const content = (
    <>
      <div className={styles.body}>{children}</div>
      {footer && <footer className={styles.foot}>{footer}</footer>}
    </>
  );
  return (
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-label={title}
      style={widthPx ? ({ '--dialog-width': `${widthPx}px` } as CSSProperties) : undefined}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        // The backdrop is the dialog element itself. Only a dialog that holds nothing typed closes by it.
        if (bare && event.target === ref.current) onClose();
      }}
    >
      {bare ? (
        children
      ) : (
        <>
          <header className={styles.head}>
            <h2>{title}</h2>
            <IconButton icon={X} label="Close" onClick={onClose} />
          </header>
          {onSubmit ? (
            <form
              className={styles.form}
              onSubmit={(event) => {
                event.preventDefault();
                onSubmit();
              }}
            >
              {content}
            </form>
          ) : (
            content
          )}
        </>
      )}
      <Toasts />
    </dialog>
  );
}
