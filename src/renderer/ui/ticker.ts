type Tick = (now: number) => void;

const ticks = new Set<Tick>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all running times of the window; it stands still while nobody listens. */
export function onSecond(tick: Tick): () => void {
  ticks.add(tick);
  timer ??= setInterval(() => {
    const now = Date.now();
    for (const each of ticks) each(now);
  }, 1000);
  return () => {
    ticks.delete(tick);
    if (ticks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
