/** The two timer functions that browsers and Node share; src/shared has neither's types. */
export interface Timers {
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const globalTimers: Timers = {
  setTimeout: (run, delayMs) => (globalThis as unknown as Timers).setTimeout(run, delayMs),
  clearTimeout: (handle) => (globalThis as unknown as Timers).clearTimeout(handle),
};
