type Step = { name: string };
type Result = { step: Step; exit: number; ms: number };

/** Runs the steps one after the other, also past one that fails, until one is the last by the caller's word. */
export function runSteps<S extends Step, R extends Result>(
  steps: readonly S[],
  run: (step: S) => Promise<R>,
  options: { endsAfter: (result: R) => boolean },
): Promise<{ results: R[]; lines: string[]; exitCode: number }>;
