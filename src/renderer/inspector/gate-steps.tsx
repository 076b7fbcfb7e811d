import type { Attempt, GateResult, StepResult } from '../../shared/domain.ts';
import { formatBytes } from '../../shared/sizes.ts';
import { formatDuration } from '../../shared/time.ts';
import { Ago } from '../ui/elapsed.tsx';
import { VerdictMark } from '../ui/state-mark.tsx';
import styles from './inspector.module.css';

/** One run of the gate: verdict, then each step with its evidence and the end of its log. */
export function GateSteps({ gate }: { gate: GateResult }) {
  return (
    <section aria-label={`Gate ${gate.verdict}`}>
      <div className={styles.section}>
        <VerdictMark verdict={gate.verdict} /> <span className={styles.dim}>{gate.reason}</span>
        <p className={styles.dim}>
          <code title={gate.commit}>{gate.commit.slice(0, 10)}</code> · <Ago at={gate.at} />
        </p>
      </div>
      {gate.steps.map((step) => (
        <details key={step.name} className={styles.step} open={step.verdict !== 'green'}>
          <summary>
            <VerdictMark verdict={step.verdict} bare />
            <span className={styles.stepName}>{step.name}</span>
            <span className={styles.dim}>{evidenceText(step)}</span>
            <span className={styles.dim}>{timeText(step)}</span>
          </summary>
          <div className={styles.stepBody}>
            <p>{step.reason}</p>
            <p>
              <code>{step.command}</code>
              {step.exit !== null && ` · exit ${step.exit}`} · {formatBytes(step.evidence.outputBytes)} of
              output
            </p>
            {step.tail !== '' && <pre className={styles.log}>{step.tail}</pre>}
          </div>
        </details>
      ))}
    </section>
  );
}

/** The last gate's steps at a glance; their logs are in the Gate tab. */
export function GateSummary({ attempts }: { attempts: readonly Attempt[] }) {
  const gate = latestGates(attempts).at(-1);
  if (!gate) return null;
  return (
    <section className={styles.section} aria-label="Gate">
      <h3>Gate: {gate.reason}</h3>
      <ul>
        {gate.steps.map((step) => (
          <li key={step.name} className={styles.gateLine}>
            <VerdictMark verdict={step.verdict} bare />
            <span className={styles.gateName}>{step.name}</span>
            <span className={styles.dim}>{evidenceText(step)}</span>
            <span className={styles.dim}>{timeText(step)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The gates of the last attempt that has any, oldest first: the merged tree is gated again when the base moved. */
export function latestGates(attempts: readonly Attempt[]): readonly GateResult[] {
  return [...attempts].reverse().find((attempt) => attempt.gates.length > 0)?.gates ?? [];
}

/** How long it took; where it did not run again, from where its result is. */
const timeText = ({ reused, ms }: StepResult): string =>
  reused ? `reused from ${reused.commit.slice(0, 10)}` : formatDuration(ms);

function evidenceText(step: StepResult): string {
  const { testsPassed, testsFailed, testsSkipped } = step.evidence;
  const parts = [
    testsPassed === undefined ? '' : `${testsPassed} passed`,
    testsFailed ? `${testsFailed} failed` : '',
    testsSkipped ? `${testsSkipped} skipped` : '',
  ];
  return parts.filter(Boolean).join(', ');
}
