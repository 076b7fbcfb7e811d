import { ErrorText } from '../ui/field.tsx';
import styles from './start.module.css';
import type { TicketCheck } from './use-ticket-check.ts';

export function TicketProblems({ check }: { check: TicketCheck }) {
  if (check.state === 'none') return null;
  if (check.state === 'checking') return <p className={styles.dim}>Checking…</p>;
  if (check.state === 'failed') return <ErrorText>{check.why}</ErrorText>;
  const { problems, tickets } = check.result;
  if (problems.length > 0) {
    return (
      <ul className={styles.problems} aria-label="Problems" role="alert">
        {problems.map((problem) => (
          <li key={`${problem.file}:${problem.line}:${problem.message}`}>
            <code>
              {problem.file}:{problem.line}
            </code>
            {problem.message}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul className={styles.checked} aria-label="Tickets to submit">
      {tickets.map((ticket) => (
        <li key={ticket.id}>
          <strong>{ticket.id}</strong>
          <span>{ticket.title}</span>
          <span title="What it may touch">{ticket.claim}</span>
        </li>
      ))}
    </ul>
  );
}
