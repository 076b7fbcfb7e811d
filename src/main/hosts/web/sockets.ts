import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Api } from '../../../shared/rpc/server.ts';
import type { ServerTransport } from '../../../shared/rpc/transport.ts';
import { createPageBacklogs } from './page-backlogs.ts';
import { MAX_MESSAGE_BYTES } from './request-route.ts';

/** A page on a sleeping laptop never says goodbye; without an answer to two pings its connection ends. */
const PING_MS = 20_000;

/** Nothing of what waits for a page was taken for so long: it sleeps, hangs, or is gone. */
const SILENT_MS = 30_000;
const SILENT_WORDS = 'This page took nothing of what waited for it for too long. It connects again.';

type Acceptor = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Sockets {
  /** Takes over an upgrade request that has been found welcome. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Bytes that wait unsent for all pages. */
  waitingBytes(): number;
  close(): void;
}

/** Pages that speak the contract over a WebSocket. What that needs is loaded at the first one. */
export function createSockets(api: Api, { silentMs = SILENT_MS } = {}): Sockets {
  let acceptor: Promise<Acceptor> | undefined;
  let closed = false;
  const raw = new Set<Duplex>();
  const backlogs = createPageBacklogs();
  const unanswered = new Map<WebSocket, number>();

  const load = async (): Promise<Acceptor> => {
    const [{ WebSocketServer }, { serveConnection }, { createServerSocketTransport }] = await Promise.all([
      import('ws'),
      import('../../../shared/rpc/server.ts'),
      import('../../../shared/rpc/web-socket.ts'),
    ]);
    const server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
    });
    return (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (opened) => {
        keepAlive(opened);
        const transport = createServerSocketTransport(opened);
        endWhenSilent(transport, socket, silentMs);
        const bound = backlogs.bound(transport, {
          onDrain: (listener) => socket.on('drain', listener),
          onGone: (listener) => socket.on('close', listener),
          destroy: () => opened.terminate(),
        });
        serveConnection(bound, api, { caller: { kind: 'page' } });
      });
  };
  const pings = setInterval(() => {
    for (const [socket, count] of unanswered) {
      // A question behind what waits cannot be answered: whether the page takes that decides (`endWhenSilent`).
      if (socket.bufferedAmount > 0) continue;
      if (count >= 2) {
        socket.terminate();
        continue;
      }
      unanswered.set(socket, count + 1);
      socket.ping();
    }
  }, PING_MS).unref();

  const keepAlive = (socket: WebSocket): void => {
    unanswered.set(socket, 0);
    socket.on('pong', () => unanswered.set(socket, 0));
    socket.on('close', () => unanswered.delete(socket));
  };

  return {
    accept(request, socket, head) {
      raw.add(socket);
      socket.on('close', () => raw.delete(socket));
      socket.on('error', () => socket.destroy());
      acceptor ??= load();
      acceptor.then(
        (acceptUpgrade) => {
          if (!closed) acceptUpgrade(request, socket, head);
        },
        () => socket.destroy(),
      );
    },
    waitingBytes: () => backlogs.waitingBytes(),
    close() {
      closed = true;
      clearInterval(pings);
      for (const socket of raw) socket.destroy();
    },
  };
}

/** Ends a page that takes nothing. The socket sees to it that a page which takes little by little counts as one that reads. */
function endWhenSilent(page: ServerTransport, socket: Duplex, silentMs: number): void {
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(silentMs);
  socket.on('timeout', () => {
    if ((page.bufferedBytes?.() ?? 0) > 0) page.close(SILENT_WORDS);
  });
}
