import { Backlog, type BacklogOptions, type ParseTarget } from './backlog.ts';

/** Parsed in one go, a millisecond or two; between two of them everything else has its turn. */
const SLICE_BYTES = 12 * 1024;
/** Parsed of one terminal before it is another one's turn: each that changes is drawn with the next frame. */
const TURN_BYTES = 128 * 1024;
/** A flood that outruns the eye is shown once a frame, and of several such floods so many in one. */
const FRAME_MS = 16;
const OUTRUNNING_A_FRAME = 2;

/**
 * All terminals of a page parse on its one thread, and xterm.js parses for 12 ms before it lets anything else happen. So what
 * floods write waits here and is handed over in slices, a terminal at a time, when the page has nothing better to do; little
 * output of a terminal that has nothing waiting goes past them.
 */
export class ParseQueue {
  readonly #later: (run: () => void) => void;
  readonly #visible: () => boolean;
  readonly #backlogs = new Set<Backlog>();
  /** What happens next: a slice is being parsed, or a turn comes. */
  #pending: { backlog?: Backlog } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turnBytes = 0;
  #passedOverMs = Number.NEGATIVE_INFINITY;

  /** `later`: runs something once the page has nothing better to do. `visible`: somebody may look at the page. */
  constructor({ later, visible }: { later: (run: () => void) => void; visible: () => boolean }) {
    this.#later = later;
    this.#visible = visible;
  }

  backlog(target: ParseTarget, options: Omit<BacklogOptions, 'visible'>): Backlog {
    return new Backlog(
      target,
      { ...options, visible: this.#visible },
      {
        waiting: (backlog) => {
          this.#backlogs.add(backlog);
          this.#goOn();
        },
        cleared: (backlog) => this.#drop(backlog),
      },
    );
  }

  #goOn(): void {
    if (this.#pending || this.#backlogs.size === 0) return;
    const pending = {};
    this.#pending = pending;
    this.#later(() => {
      if (this.#pending === pending) this.#next();
    });
  }

  #next(): void {
    this.#pending = undefined;
    const nowMs = performance.now();
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const backlog of this.#backlogs) {
      const notBeforeMs = this.#notBeforeMs(backlog);
      if (notBeforeMs <= nowMs) {
        this.#parse(backlog);
        return;
      }
      earliestMs = Math.min(earliestMs, notBeforeMs);
    }
    if (this.#backlogs.size > 0) this.#wake(earliestMs - nowMs);
  }

  #parse(backlog: Backlog): void {
    const pending = { backlog };
    this.#pending = pending;
    // Timers of a page that nobody looks at run once a second: then xterm.js may take what it can.
    backlog.next(this.#visible() ? SLICE_BYTES : Number.POSITIVE_INFINITY, (bytes) => {
      this.#turnBytes += bytes;
      this.#passedOverMs = Math.max(this.#passedOverMs, backlog.passedOverMs);
      if (this.#pending !== pending) return;
      this.#pending = undefined;
      if (this.#turnBytes >= TURN_BYTES || backlog.outruns || !backlog.waiting) this.#turnIsOver(backlog);
      this.#goOn();
    });
  }

  /** Where something is left it comes again after the others. */
  #turnIsOver(backlog: Backlog): void {
    this.#turnBytes = 0;
    this.#backlogs.delete(backlog);
    if (backlog.waiting) this.#backlogs.add(backlog);
  }

  #notBeforeMs({ outruns, passedOverMs }: Backlog): number {
    if (!outruns) return 0;
    return Math.max(passedOverMs + FRAME_MS, this.#passedOverMs + FRAME_MS / OUTRUNNING_A_FRAME);
  }

  #wake(inMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#pending) this.#next();
    }, inMs);
  }

  /** A terminal that was emptied or is gone may never say that it has parsed its slice. */
  #drop(backlog: Backlog): void {
    this.#backlogs.delete(backlog);
    if (this.#pending?.backlog === backlog) this.#pending = undefined;
    if (this.#backlogs.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#goOn();
  }
}

/** The browser's own order of tasks where it has one, else a task behind those that wait. */
export function whenIdle(): (run: () => void) => void {
  const { scheduler } = globalThis as {
    scheduler?: { postTask(run: () => void, options: { priority: 'background' }): Promise<void> };
  };
  if (scheduler) return (run) => void scheduler.postTask(run, { priority: 'background' });
  const { port1, port2 } = new MessageChannel();
  const runs: (() => void)[] = [];
  port2.onmessage = () => runs.shift()?.();
  return (run) => {
    runs.push(run);
    port1.postMessage(undefined);
  };
}
