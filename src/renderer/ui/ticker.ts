type Tick = (now: number) => void;

const ticks = new Set<Tick>();
let timer: ReturnType<typeof setInterval> | undefined;
let stoodAt: number | undefined;

/** The present, or the moment at which the clock was stopped. */
export const clockNow = (): number => stoodAt ?? Date.now();

/** Stops all running times at a moment, because nobody knows what goes on since; undefined: they run. */
export function stopClock(at: number | undefined): void {
  stoodAt = at;
}

/** One clock for all running times of the window; it stands still while nobody listens. */
export function onSecond(tick: Tick): () => void {
  ticks.add(tick);
  timer ??= setInterval(() => {
    const now = clockNow();
    for (const each of ticks) each(now);
  }, 1000);
  return () => {
    ticks.delete(tick);
    if (ticks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
