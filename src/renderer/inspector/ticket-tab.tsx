import type { Job } from '../../shared/domain.ts';
import styles from './inspector.module.css';

export function TicketTab({ job }: { job: Job }) {
  const { ticket } = job;
  const lists: readonly [string, readonly string[]][] = [
    ['Depends on', ticket.dependsOn],
    ['Related', ticket.related],
  ];
  return (
    <>
      {lists.map(([name, ids]) =>
        ids.length === 0 ? null : (
          <section key={name} className={styles.section}>
            <h3>{name}</h3>
            <p>{ids.join(', ')}</p>
          </section>
        ),
      )}
      <pre className={styles.text}>{ticket.text}</pre>
    </>
  );
}
