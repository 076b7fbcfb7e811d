import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Api } from '../../../shared/rpc/server.ts';
import { MAX_MESSAGE_BYTES } from './request-route.ts';

/** A page on a sleeping laptop never says goodbye; without an answer to two pings its connection ends. */
const PING_MS = 20_000;

type Acceptor = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Sockets {
  /** Takes over an upgrade request that has been found welcome. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/** Pages that speak the contract over a WebSocket. What that needs is loaded at the first one. */
export function createSockets(api: Api): Sockets {
  let acceptor: Promise<Acceptor> | undefined;
  let closed = false;
  const raw = new Set<Duplex>();
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
        serveConnection(createServerSocketTransport(opened), api, { caller: { kind: 'page' } });
      });
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
    close() {
      closed = true;
      clearInterval(pings);
      for (const socket of raw) socket.destroy();
    },
  };
}
