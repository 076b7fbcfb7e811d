import { MINUTE_MS } from '../../shared/time.ts';

/** A model on this machine may have to be loaded from disk before its first word. */
export const START_LIMIT_MS = 5 * MINUTE_MS;

/** Watches whether an agent really began: a process of it, or something that it said. */
export interface StartWatch extends Disposable {
  /** Aborted where it did not within the limit. */
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** It did. */
  began(): void;
}

export function watchStart(limitMs: number = START_LIMIT_MS): StartWatch {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), limitMs);
  return {
    signal: controller.signal,
    limitMs,
    began: () => clearTimeout(timer),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
