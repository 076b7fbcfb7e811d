import { useMemo } from 'react';
import type { Job, Session } from '../../shared/domain.ts';
import { showPane } from '../actions/session-actions.ts';
import { backgroundSessions } from '../layout/placement.ts';
import { NAMES } from '../names.ts';
import { useModel } from '../state/store.ts';
import { useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import styles from './panes.module.css';

const NO_SESSIONS: ReadonlyMap<string, Session> = new Map();
const NO_JOBS: ReadonlyMap<string, Job> = new Map();
const MAX_SHOWN = 8;

/** Live sessions without a pane: how many, and each a click away. */
export function Tray() {
  const sessions = useModel((model) => model.sessions, NO_SESSIONS);
  const jobs = useModel((model) => model.jobs, NO_JOBS);
  const layout = useUi((state) => state.layout);
  const hidden = useMemo(() => backgroundSessions(layout, sessions), [layout, sessions]);
  if (hidden.length === 0) return null;
  return (
    <section className={styles.tray} aria-label={NAMES.background}>
      <span>{hidden.length} in the background</span>
      {hidden.slice(0, MAX_SHOWN).map((session) => {
        const job = session.jobId === undefined ? undefined : jobs.get(session.jobId);
        const name = job?.ticket.id ?? session.title;
        return (
          <Button
            key={session.id}
            title={`Show ${job?.ticket.title ?? session.title}`}
            onClick={() => showPane(session.id)}
          >
            {name}
          </Button>
        );
      })}
      {hidden.length > MAX_SHOWN && <span>and {hidden.length - MAX_SHOWN} more</span>}
    </section>
  );
}
