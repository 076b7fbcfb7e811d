import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';

type Look = 'default' | 'primary' | 'danger' | 'quiet';
type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  icon?: LucideIcon;
  busy?: boolean;
  children: ReactNode;
};

export function Button({ look = 'default', icon: Icon, busy, children, onClick, className, ...rest }: Props) {
  return (
    <button
      type="button"
      className={classes(styles.button, look !== 'default' && styles[look], className)}
      // A disabled button would lose the focus, and what is pressed next would go nowhere.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {Icon && <Icon size={14} aria-hidden />}
      {children}
    </button>
  );
}

type IconProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  icon: LucideIcon;
  label: string;
  ref?: Ref<HTMLButtonElement>;
};

/** A button without words still has a name, for screen readers and on hover. */
export function IconButton({ icon: Icon, label, className, ref, ...rest }: IconProps) {
  return (
    <button
      type="button"
      ref={ref}
      aria-label={label}
      title={label}
      className={classes(styles.button, styles.icon, className)}
      {...rest}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}

export function LinkButton({ className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" className={classes(styles.link, className)} {...rest} />;
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={styles.kbd}>{children}</kbd>;
}
