import { FlaskConical, FolderPlus } from 'lucide-react';
import type { AgentInfo } from '../../shared/domain.ts';
import { trySample } from '../actions/start-actions.ts';
import { NAMES } from '../names.ts';
import { useModel } from '../state/store.ts';
import { openDialog, useUi } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Words } from '../ui/words.tsx';
import styles from './start.module.css';

const NO_AGENTS: readonly AgentInfo[] = [];

/** An empty window: two ways to begin, neither of which needs anything typed. */
export function StartPage() {
  const agents = useModel((model) => model.agents, NO_AGENTS);
  const writing = useUi((state) => state.busy.has('sample'));
  return (
    <main className={styles.page} aria-label="Start">
      <div className={styles.inner}>
        <h1>Run coding agents side by side</h1>
        <p className={styles.lead}>
          Tickets go in, verified commits come out on your base branch. Each job works in a tree of its own;
          only what passes the gate merges.
        </p>
        <div className={styles.choices}>
          <div className={styles.choice}>
            <FlaskConical size={18} aria-hidden />
            <div>
              <h2>A sample repository</h2>
              <p>A small library and its tickets, worked on by a scripted agent. No key, no network.</p>
            </div>
            <Button look="primary" busy={writing} onClick={() => void trySample()}>
              {NAMES.trySample}
            </Button>
          </div>
          <div className={styles.choice}>
            <FolderPlus size={18} aria-hidden />
            <div>
              <h2>Your own repository</h2>
              <p>Headway shows what it found before anything is added. Your checkout is left alone.</p>
            </div>
            <Button onClick={() => openDialog({ kind: 'add-repository' })}>{NAMES.addRepository}</Button>
          </div>
        </div>
        <ul className={styles.agents} aria-label="Agents">
          {agentLines(agents).map((line) => (
            <li key={line}>
              <Words text={line} />
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}

function agentLines(agents: readonly AgentInfo[]): readonly string[] {
  const there = agents.filter((agent) => agent.available).map((agent) => agent.label);
  const missing = agents.filter((agent) => !agent.available);
  const hints = missing.map((agent) => `${agent.label}: ${agent.hint ?? 'not installed'}`);
  return [`Agents here: ${there.length > 0 ? there.join(', ') : 'none'}`, ...hints];
}
