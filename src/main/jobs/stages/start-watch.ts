/** Watches whether an agent really began: a process of it, or an answer of its service. */
export interface StartWatch extends Disposable {
  /** Aborted where it did not within the limit. */
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** It did. */
  began(): void;
}

export function watchStart(limitMs: number): StartWatch {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), limitMs);
  return {
    signal: controller.signal,
    limitMs,
    began: () => clearTimeout(timer),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
