import { explainCause } from '../../shared/cause.ts';
import type { Attempt } from '../../shared/domain.ts';
import { formatDuration } from '../../shared/time.ts';
import { showPane } from '../actions/session-actions.ts';
import { useModel } from '../state/store.ts';
import { LinkButton } from '../ui/button.tsx';
import { Elapsed } from '../ui/elapsed.tsx';
import styles from './inspector.module.css';

export function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <section className={styles.section} aria-label="Attempts">
      <h3>Attempts</h3>
      <dl className={styles.numbers}>
        {[...attempts].reverse().map((attempt) => (
          <div key={attempt.number} style={{ display: 'contents' }}>
            <dt>
              {attempt.number}. {attempt.outcome ?? 'running'}
              {attempt.cause && `: ${explainCause(attempt.cause).text}`} <SessionLink attempt={attempt} />
            </dt>
            <dd>
              {attempt.endedAt === undefined ? (
                <Elapsed sinceAt={attempt.startedAt} />
              ) : (
                formatDuration(attempt.endedAt - attempt.startedAt)
              )}
            </dd>
            <Remarks title="Notes" remarks={attempt.notes ?? []} />
            <Remarks title="Changed in your clone meanwhile" remarks={attempt.drift ?? []} />
          </div>
        ))}
      </dl>
    </section>
  );
}

function SessionLink({ attempt }: { attempt: Attempt }) {
  const { sessionId } = attempt;
  const known = useModel((model) => sessionId !== undefined && model.sessions.has(sessionId), false);
  if (!known || sessionId === undefined) return null;
  return <LinkButton onClick={() => showPane(sessionId)}>pane</LinkButton>;
}

/** What a person should know about an attempt, below it. */
function Remarks({ title, remarks }: { title: string; remarks: readonly string[] }) {
  if (remarks.length === 0) return null;
  return (
    <dd className={styles.remarks}>
      <h4>{title}</h4>
      <ul aria-label={title}>
        {remarks.map((remark) => (
          <li key={remark}>{remark}</li>
        ))}
      </ul>
    </dd>
  );
}
