import type { GateResult, StepResult } from '../../../shared/domain.ts';
import { formatDuration } from '../../../shared/time.ts';

const stepData = ({ name, command, exit, ms, evidence, verdict, reason, tail, reused }: StepResult) => ({
  name,
  command,
  exit,
  ms,
  evidence,
  verdict,
  reason,
  tail,
  ...(reused ? { reused } : {}),
});

/** A run of the gate as `--json` prints it. */
export const gateData = ({ verdict, reason, commit, steps }: GateResult) => ({
  verdict,
  reason,
  commit,
  steps: steps.map(stepData),
});

/** A run of the gate for a person: its verdict, then each step with what it proved. */
export const gateLines = (result: GateResult): string[] => [
  `${result.verdict.toUpperCase()} ${result.commit.slice(0, 10)}: ${result.reason}`,
  ...result.steps.map(
    (step) =>
      `  ${step.verdict.padEnd(8)} ${(step.reused ? 'reused' : formatDuration(step.ms)).padStart(8)}  ${step.name}: ${step.reason}`,
  ),
];
