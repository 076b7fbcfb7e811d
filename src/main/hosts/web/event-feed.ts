import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyEvent } from '../../../shared/contract.ts';
import type { Api } from '../../../shared/rpc/server.ts';
import { KeptEvents } from './kept-events.ts';

/** Proxies and laptops drop silent connections; a comment keeps this one alive. */
const HEARTBEAT_MS = 15_000;
/** A reader that lets more than this wait is cut off, and many readers have less each; it comes back with its last id. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const MAX_ALL_WAITING_BYTES = 32 * 1024 * 1024;

export interface EventFeed {
  /** `GET /api/events`: server-sent events, id = sequence number. `event: reset` says: take a new snapshot. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

export function createEventFeed(api: Api): EventFeed {
  /** A reader that was away for longer is told to start anew. */
  const kept = new KeptEvents();
  const readers = new Set<ServerResponse>();

  const write = (response: ServerResponse, text: string): void => {
    response.write(text);
    const limit = Math.min(MAX_WAITING_BYTES, MAX_ALL_WAITING_BYTES / readers.size);
    if (response.writableLength > limit) response.destroy();
  };
  const remove = api.onEvent((event) => {
    const text = toText(event);
    kept.add(event.seq, text);
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
        const missed = kept.after(/^\d+$/.test(String(lastId)) ? Number(lastId) : Number.NaN);
        write(response, missed ? missed.join('') || ':\n\n' : 'event: reset\ndata: {}\n\n');
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
