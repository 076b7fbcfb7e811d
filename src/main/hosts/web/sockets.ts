import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { type Api, serveConnection } from '../../../shared/rpc/server.ts';
import { createServerSocketTransport } from '../../../shared/rpc/web-socket.ts';
import { MAX_MESSAGE_BYTES } from './request-route.ts';

/** A page on a sleeping laptop never says goodbye; without an answer to two pings its connection ends. */
const PING_MS = 20_000;

export interface Sockets {
  /** Takes over an upgrade request that has been found welcome. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/** Pages that speak the contract over a WebSocket. The `ws` package is loaded at the first one. */
export function createSockets(api: Api): Sockets {
  let server: Promise<WebSocketServer> | undefined;
  let closed = false;
  const raw = new Set<Duplex>();
  const unanswered = new Map<WebSocket, number>();

  const load = async (): Promise<WebSocketServer> => {
    const { WebSocketServer } = await import('ws');
    return new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  };
  const pings = setInterval(() => {
    for (const [socket, count] of unanswered) {
      if (count >= 2) {
        socket.terminate();
        continue;
      }
      unanswered.set(socket, count + 1);
      socket.ping();
    }
  }, PING_MS).unref();

  const join = (socket: WebSocket): void => {
    unanswered.set(socket, 0);
    socket.on('pong', () => unanswered.set(socket, 0));
    socket.on('close', () => unanswered.delete(socket));
    serveConnection(createServerSocketTransport(socket), api, { caller: { kind: 'page' } });
  };

  return {
    accept(request, socket, head) {
      raw.add(socket);
      socket.on('close', () => raw.delete(socket));
      socket.on('error', () => socket.destroy());
      server ??= load();
      server.then(
        (loaded) => {
          if (!closed) loaded.handleUpgrade(request, socket, head, join);
        },
        () => socket.destroy(),
      );
    },
    close() {
      closed = true;
      clearInterval(pings);
      for (const socket of raw) socket.destroy();
    },
  };
}
