import type { Job } from '../../shared/domain.ts';
import { GateSteps, latestGates } from './gate-steps.tsx';
import styles from './inspector.module.css';
import { useJobDetail } from './use-job-detail.ts';

/** The last attempt's gates, newest first. */
export function GateTab({ job }: { job: Job }) {
  const detail = useJobDetail(job);
  if (detail.state === 'failed') return <p className={styles.message}>{detail.why}</p>;
  if (detail.state === 'loading') return <p className={styles.message}>Loading…</p>;
  const gates = latestGates(detail.value.attempts);
  if (gates.length === 0) {
    return <p className={styles.message}>The gate has not run yet. Its output streams to the job's pane.</p>;
  }
  return [...gates].reverse().map((gate) => <GateSteps key={`${gate.commit}:${gate.at}`} gate={gate} />);
}
