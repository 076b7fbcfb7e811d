import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyEvent } from '../../../shared/contract.ts';
import type { Api } from '../../../shared/rpc/server.ts';

/** Events kept for readers that come back; a reader away for longer is told to start anew. */
const KEPT_EVENTS = 1000;
/** Proxies and laptops drop silent connections; a comment keeps this one alive. */
const HEARTBEAT_MS = 15_000;
/** A reader that lets more than this wait is cut off, and many readers have less each; it comes back with its last id. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const MAX_ALL_WAITING_BYTES = 32 * 1024 * 1024;

/** Pure: the events after `lastSeq`, or undefined where some of them are no longer known. */
export function eventsAfter(kept: readonly AnyEvent[], lastSeq: number): AnyEvent[] | undefined {
  const first = kept[0];
  const last = kept.at(-1);
  if (!first || !last || !Number.isSafeInteger(lastSeq)) return undefined;
  if (lastSeq < first.seq - 1 || lastSeq > last.seq) return undefined;
  return kept.filter((event) => event.seq > lastSeq);
}

export interface EventFeed {
  /** `GET /api/events`: server-sent events, id = sequence number. `event: reset` says: take a new snapshot. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

export function createEventFeed(api: Api): EventFeed {
  const kept: AnyEvent[] = [];
  const readers = new Set<ServerResponse>();

  const write = (response: ServerResponse, text: string): void => {
    response.write(text);
    const limit = Math.min(MAX_WAITING_BYTES, MAX_ALL_WAITING_BYTES / readers.size);
    if (response.writableLength > limit) response.destroy();
  };
  const remove = api.onEvent((event) => {
    kept.push(event);
    if (kept.length > KEPT_EVENTS) kept.splice(0, kept.length - KEPT_EVENTS);
    const text = readers.size > 0 ? toText(event) : '';
    for (const response of readers) write(response, text);
  });
  const heartbeat = setInterval(() => {
    for (const response of readers) write(response, ':\n\n');
  }, HEARTBEAT_MS).unref();

  return {
    serve(request, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.flushHeaders();
      const lastId = request.headers['last-event-id'];
      if (lastId !== undefined) {
        const missed = eventsAfter(kept, /^\d+$/.test(String(lastId)) ? Number(lastId) : Number.NaN);
        write(response, missed ? missed.map(toText).join('') || ':\n\n' : 'event: reset\ndata: {}\n\n');
      }
      readers.add(response);
      response.on('close', () => readers.delete(response));
    },
    close() {
      clearInterval(heartbeat);
      remove();
      for (const response of readers) response.destroy();
    },
  };
}

function toText(event: AnyEvent): string {
  return `id: ${event.seq}\nevent: ${event.name}\ndata: ${JSON.stringify(event.payload)}\n\n`;
}
