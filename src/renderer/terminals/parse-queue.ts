import { TypingFirst } from '../../shared/typing-first.ts';
import { Backlog, type ParseTarget } from './backlog.ts';

/** Parsed of one terminal before it is another one's turn: each that changes is drawn with the next frame. */
const TURN_BYTES = 128 * 1024;
/** Floods that outrun the eye are shown so often, in one frame of the page, and of several so many at a time. */
const SHOWN_EVERY_MS = 50;
const SHOWN_WITHIN_MS = 8;
const SHOWN_AT_A_TIME = 2;

/**
 * All terminals of a page parse on its one thread, and xterm.js parses for 12 ms before it lets anything else happen. So what
 * floods write waits here and is handed over in slices, a terminal at a time, when the page has nothing better to do; little
 * output of a terminal that has nothing waiting goes past them, and from a key to its echo they wait.
 */
export class ParseQueue {
  readonly #later: (run: () => void) => void;
  readonly #visible: () => boolean;
  readonly #backlogs = new Set<Backlog>();
  readonly #typing = new TypingFirst(() => this.#goOn());
  /** What happens next: a slice is being parsed, or a turn comes. */
  #pending: { backlog?: Backlog } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turnBytes = 0;
  #shownMs = Number.NEGATIVE_INFINITY;
  #shown = 0;

  /** `later`: runs something once the page has nothing better to do. `visible`: somebody may look at the page. */
  constructor({ later, visible }: { later: (run: () => void) => void; visible: () => boolean }) {
    this.#later = later;
    this.#visible = visible;
  }

  backlog(target: ParseTarget): Backlog {
    return new Backlog(target, {
      waiting: (backlog) => {
        this.#backlogs.add(backlog);
        this.#goOn();
      },
      cleared: (backlog) => this.#drop(backlog),
      answered: () => this.#typing.answered(),
    });
  }

  /** A person has typed: the answer goes first. */
  typed(): void {
    this.#typing.typed();
  }

  #goOn(): void {
    if (this.#pending || this.#typing.holding || this.#backlogs.size === 0) return;
    const pending = {};
    this.#pending = pending;
    this.#later(() => {
      if (this.#pending === pending) this.#next();
    });
  }

  #next(): void {
    this.#pending = undefined;
    if (this.#typing.holding) return;
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
    if (backlog.outruns) this.#show();
    // Timers of a page that nobody looks at run once a second: then xterm.js may take what it can.
    backlog.next(!this.#visible(), (bytes) => {
      this.#turnBytes += bytes;
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

  #notBeforeMs({ outruns }: Backlog): number {
    if (!outruns || (this.#shown < SHOWN_AT_A_TIME && performance.now() < this.#shownMs + SHOWN_WITHIN_MS))
      return 0;
    return this.#shownMs + SHOWN_EVERY_MS;
  }

  #show(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#shownMs + SHOWN_EVERY_MS) {
      this.#shownMs = nowMs;
      this.#shown = 0;
    }
    this.#shown += 1;
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
