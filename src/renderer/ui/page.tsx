import type { ReactNode } from 'react';
import styles from './section.module.css';

export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className={styles.page} aria-label={title}>
      <div className={styles.inner}>
        <header className={styles.head}>
          <h1>{title}</h1>
          {actions}
        </header>
        {children}
      </div>
    </main>
  );
}

type CardProps = { title: string; detail?: string; path?: string; actions?: ReactNode; children: ReactNode };

export function Card({ title, detail, path, actions, children }: CardProps) {
  return (
    <section className={styles.card} aria-label={title}>
      <header className={styles.cardHead}>
        <div className={styles.cardTitle}>
          <h2>{title}</h2>
          {detail && <p>{detail}</p>}
          {path && (
            <p className={styles.path} title={path}>
              {path}
            </p>
          )}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}
