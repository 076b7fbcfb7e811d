import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HeadwayError } from '../../../shared/errors.ts';
import type { Api } from '../../../shared/rpc/server.ts';
import { type Claims, findRefusal } from './access.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { serveRequest } from './request-route.ts';
import { notFound, sendError, sendJson, setSecurityHeaders } from './responses.ts';
import { serveStatic } from './serve-static.ts';
import { createSockets } from './sockets.ts';

export interface WebHostOptions {
  api: Api;
  /** Where the built interface is: its index.html and assets. */
  rendererDir: string;
  /** Loopback unless a person asks for more. */
  host?: string;
  /** 0: any free one. */
  port: number;
  /** 32 random bytes unless given. */
  token?: string;
}

export interface WebHost {
  url: string;
  /** The address to open: whoever has it may do what the person at the machine may do. */
  urlWithToken: string;
  port: number;
  token: string;
  /** Ends every connection; when it resolves the port is free. */
  close(): Promise<void>;
}

/**
 * Serves the interface and the contract over HTTP, WebSocket and server-sent events.
 * Throws a HeadwayError `unavailable` that names --port or --host where it can't listen.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const boundHost = options.host ?? '127.0.0.1';
  const token =
    options.token ?? Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const own = { boundHost, token };
  const server = createServer();
  await listen(server, boundHost, options.port);

  const feed = createEventFeed(options.api);
  const sockets = createSockets(options.api);
  server.on('request', (request, response) => {
    route(request, response, { ...options, own, feed }).catch((thrown) => sendError(response, thrown));
  });
  server.on('upgrade', (request, socket, head) => {
    const url = parseUrl(request);
    const refusal =
      url?.pathname === '/api/socket'
        ? findRefusal(claimsOf(request, url), own, { token: true })
        : { status: 404, message: 'There is no such socket.' };
    if (!refusal) {
      sockets.accept(request, socket, head);
      return;
    }
    socket.on('error', () => {});
    socket.end(`HTTP/1.1 ${refusal.status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  });
  // A failed accept (no file descriptors left) concerns one connection; the host goes on.
  server.on('error', () => {});

  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const url = `http://${displayHost(boundHost)}:${port}`;
  return {
    url,
    urlWithToken: `${url}/?token=${encodeURIComponent(token)}`,
    port,
    token,
    close() {
      closed ??= (async () => {
        const done = once(server, 'close');
        server.close();
        feed.close();
        sockets.close();
        server.closeAllConnections();
        await done;
      })();
      return closed;
    },
  };
}

interface RouteContext {
  api: Api;
  rendererDir: string;
  own: { boundHost: string; token: string };
  feed: EventFeed;
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  { api, rendererDir, own, feed }: RouteContext,
): Promise<void> {
  const url = parseUrl(request);
  if (!url) {
    sendError(response, new HeadwayError('bad-input', 'The address is malformed.'));
    return;
  }
  const path = url.pathname;
  const needsToken = path.startsWith('/api/') && path !== '/api/health';
  const refusal = findRefusal(claimsOf(request, url), own, { token: needsToken });
  if (refusal) {
    sendError(response, new HeadwayError('not-allowed', refusal.message), refusal.status);
    return;
  }
  setSecurityHeaders(response, request.headers.host ?? '');
  const name = /^\/api\/requests\/([\w.]+)$/.exec(path)?.[1];
  if (name) await serveRequest(request, response, api, name);
  else if (path === '/api/events' && request.method === 'GET') feed.serve(request, response);
  else if (path === '/api/health') sendJson(response, 200, { app: 'headway', ok: true });
  else if (path.startsWith('/api/')) sendError(response, notFound(path));
  else await serveStatic(request, response, { directory: rendererDir, urlPath: path });
}

/** The base is only there because URL needs one; the Host header is judged elsewhere. */
function parseUrl(request: IncomingMessage): URL | undefined {
  const target = request.url ?? '';
  return target.startsWith('/') ? (URL.parse(`http://headway${target}`) ?? undefined) : undefined;
}

function claimsOf(request: IncomingMessage, url: URL): Claims {
  return {
    hostHeader: request.headers.host,
    origin: request.headers.origin,
    authorization: request.headers.authorization,
    queryToken: url.searchParams.get('token') ?? undefined,
  };
}

function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new HeadwayError('unavailable', explainListenError(code, host, port), { cause });
  }
}

function explainListenError(code: string | undefined, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use: choose another with --port (0 takes any free one).`;
    case 'EACCES':
      return `Port ${port} may not be used by this user: choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: choose another with --host.`;
    default:
      return `Can't listen on ${host}, port ${port} (${code ?? 'unknown cause'}): choose others with --host and --port.`;
  }
}
