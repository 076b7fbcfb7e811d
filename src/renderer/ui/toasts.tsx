import { X } from 'lucide-react';
import { NAMES } from '../names.ts';
import { dismissToast, useUi } from '../state/ui-store.ts';
import { IconButton } from './button.tsx';
import styles from './toasts.module.css';

const WORDS = { info: '', warning: 'Warning: ', error: 'Error: ' } as const;

export function Toasts() {
  const toasts = useUi((state) => state.toasts);
  return (
    <section className={styles.toasts} aria-label={NAMES.notices} aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={styles.toast} data-level={toast.level}>
          <p>
            <span className="visually-hidden">{WORDS[toast.level]}</span>
            {toast.text}
          </p>
          <IconButton icon={X} label="Dismiss" onClick={() => dismissToast(toast.id)} />
        </div>
      ))}
    </section>
  );
}
