import type { StepFaucet } from '../../limits/step-faucet.ts';

export type InOrder<T> = {
  /** For each the earlier ones that must have ended well before it starts; see `stepOrder`. */
  waitsFor: readonly (readonly number[])[];
  faucet: StepFaucet;
  signal?: AbortSignal | undefined;
  /** Runs one; its signal aborts when the whole is cancelled, or when an earlier one did not end well. */
  run(index: number, signal: AbortSignal): Promise<T>;
  /** False: what comes later does not count any more. */
  goesOn(result: T): boolean;
};

/**
 * Runs what does not wait for each other side by side, with the outcome of running one after another: the results up to the
 * first that does not go on, whichever ended first. What came later is cancelled and left out, what came earlier is
 * waited for. Settles when nothing runs any more; rejects as the earliest `run` that rejected and was not cancelled.
 */
export async function runInOrder<T>(options: InOrder<T>): Promise<T[]> {
  const { waitsFor, faucet } = options;
  const results = new Map<number, T>();
  const started = new Set<number>();
  const running = new Map<number, AbortController>();
  const problems = new Map<number, unknown>();
  /** What lies behind it does not count. */
  let last = waitsFor.length - 1;
  let wake: () => void = () => undefined;

  const stopAt = (index: number): void => {
    last = Math.min(last, index);
    for (const [other, controller] of running) if (other > last) controller.abort();
  };
  const one = async (index: number, controller: AbortController): Promise<void> => {
    const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
    try {
      const result = await options.run(index, signal);
      if (index > last) return;
      results.set(index, result);
      if (!options.goesOn(result)) stopAt(index);
    } catch (thrown) {
      if (index > last) return; // it was cancelled
      problems.set(index, thrown);
      stopAt(index);
    } finally {
      running.delete(index);
      faucet.release();
      wake();
    }
  };
  const isReady = (index: number): boolean =>
    !started.has(index) && (waitsFor[index] ?? []).every((earlier) => results.has(earlier));
  const startReady = (): void => {
    for (let index = 0; index <= last; index += 1) {
      if (!isReady(index)) continue;
      if (!faucet.take(running.size === 0)) return;
      started.add(index);
      const controller = new AbortController();
      running.set(index, controller);
      void one(index, controller);
    }
  };

  using _room = faucet.onRoom(() => wake());
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    startReady();
    if (running.size === 0) break;
    await changed;
  }
  const problem = [...problems].sort(([a], [b]) => a - b)[0];
  if (problem) throw problem[1];
  return [...results]
    .filter(([index]) => index <= last)
    .sort(([a], [b]) => a - b)
    .map(([, result]) => result);
}
