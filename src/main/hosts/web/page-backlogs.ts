import type { ServerFrame } from '../../../shared/contract.ts';
import type { ServerTransport } from '../../../shared/rpc/transport.ts';
import { UnsentFrames } from './unsent-frames.ts';

const MB = 1024 * 1024;

/** Bytes that may wait unsent, before what is sent next. */
export type BacklogLimits = {
  /** Events, for one page, and for all pages together: many pages get less each. */
  pageEvents: number;
  allEvents: number;
  /** Answers for all pages together: above it no further snapshot is made. */
  allAnswers: number;
};

const LIMITS: BacklogLimits = { pageEvents: 4 * MB, allEvents: 16 * MB, allAnswers: 24 * MB };
/** A smaller backlog is not known to be over: a socket tells that it drained only what it once called much. */
const LEAST_PAGE_EVENTS = 64 * 1024;
/** A page asks once and waits; one that asks on and on is broken. */
const MAX_WAITING_SNAPSHOTS = 16;

/** What lies under the connection of a page. */
export interface Line {
  /** Nothing waits any more. */
  onDrain(listener: () => void): void;
  onGone(listener: () => void): void;
  /** Ends it at once, with all that waits. */
  destroy(): void;
}

export interface PageBacklogs {
  /**
   * The same connection, but a page that does not keep up gets no more events than its share: what it misses it sees by the gap
   * in the numbers, and takes a new snapshot. Snapshots are made one after the other, while not too many answers wait.
   */
  bound(transport: ServerTransport, line: Line): ServerTransport;
  /** Unsent bytes of all pages. */
  waitingBytes(): number;
}

export function createPageBacklogs(limits: BacklogLimits = LIMITS): PageBacklogs {
  const pages = new Set<Page>();
  let waiting: { page: Page; id: unknown; ask: () => void }[] = [];
  let asked: { page: Page; id: unknown } | undefined;

  const share = (): number =>
    Math.max(LEAST_PAGE_EVENTS, Math.min(limits.pageEvents, limits.allEvents / pages.size));
  const answerBytes = (): number => {
    let sum = 0;
    for (const page of pages) sum += page.answerBytes();
    return sum;
  };

  const askNext = (): void => {
    while (!asked && waiting[0] && answerBytes() <= limits.allAnswers) {
      const [next, ...later] = waiting as [(typeof waiting)[0], ...typeof waiting];
      waiting = later;
      asked = next;
      next.ask();
    }
  };
  const answered = (page: Page, id?: unknown): void => {
    if (asked?.page === page && (id === undefined || asked.id === id)) asked = undefined;
    askNext();
  };

  /** Who asked for more than it reads; one answer is always somebody's due. */
  const endGreediest = (): void => {
    if (answerBytes() <= 2 * limits.allAnswers) return;
    const greedy = [...pages].filter((page) => page.answers() > 1);
    greedy.sort((a, b) => b.answerBytes() - a.answerBytes())[0]?.line.destroy();
  };

  return {
    bound(transport, line) {
      const page = new Page(transport, line);
      pages.add(page);
      line.onDrain(() => {
        page.tellMissed();
        askNext();
      });
      line.onGone(() => {
        pages.delete(page);
        waiting = waiting.filter((one) => one.page !== page);
        answered(page);
      });
      return {
        ...transport,
        send(frame) {
          if (frame.type === 'event') return page.sendEvent(frame, share());
          if (frame.type === 'reply') endGreediest();
          page.send(frame);
          if (frame.type === 'reply') answered(page, frame.id);
        },
        onFrame: (listener) =>
          transport.onFrame((frame) => {
            const id = snapshotRequest(frame);
            if (id === undefined) return listener(frame);
            if (waiting.filter((one) => one.page === page).length >= MAX_WAITING_SNAPSHOTS) line.destroy();
            else waiting.push({ page, id, ask: () => listener(frame) });
            askNext();
          }),
      };
    },
    waitingBytes() {
      let sum = 0;
      for (const page of pages) sum += page.bufferedBytes();
      return sum;
    },
  };
}

/** What arrived is untrusted: undefined where it is no such request. */
function snapshotRequest(frame: unknown): unknown {
  const { type, name, id } = (frame ?? {}) as Record<string, unknown>;
  return type === 'request' && name === 'app.snapshot' ? id : undefined;
}

class Page {
  readonly line: Line;
  readonly #transport: ServerTransport;
  readonly #unsent: UnsentFrames<'event' | 'answer' | 'stream'>;
  /** The last event that was left out, until the page can see by a number that it missed some. */
  #missed: ServerFrame | undefined;

  constructor(transport: ServerTransport, line: Line) {
    this.#transport = transport;
    this.line = line;
    this.#unsent = new UnsentFrames(() => this.bufferedBytes());
  }

  bufferedBytes(): number {
    return this.#transport.bufferedBytes?.() ?? 0;
  }

  answerBytes(): number {
    return this.#unsent.bytes('answer');
  }

  answers(): number {
    return this.#unsent.count('answer');
  }

  send(frame: ServerFrame): void {
    const kind = frame.type === 'reply' ? 'answer' : frame.type === 'event' ? 'event' : 'stream';
    this.#unsent.give(kind, () => this.#transport.send(frame));
  }

  sendEvent(frame: ServerFrame, shareBytes: number): void {
    const isBehind = this.#unsent.bytes('event') > shareBytes;
    this.#missed = isBehind ? frame : undefined;
    if (!isBehind) this.send(frame);
  }

  /** The number of the last one shows the gap, also where nothing else happens any more. */
  tellMissed(): void {
    const missed = this.#missed;
    this.#missed = undefined;
    if (missed) this.send(missed);
  }
}
