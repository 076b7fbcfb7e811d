import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HeadwayError } from '../../../shared/errors.ts';
import type { Api } from '../../../shared/rpc/server.ts';
import { type Claims, findRefusal, tokenOf } from './access.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { serveRequest } from './request-route.ts';
import { notFound, sendError, sendJson, setSecurityHeaders } from './responses.ts';
import { serveStatic } from './serve-static.ts';
import { createSockets } from './sockets.ts';
import { memoryTokens, type Tokens } from './tokens.ts';

export interface WebHostOptions {
  api: Api;
  /** Where the built interface is: its index.html and assets. */
  rendererDir: string;
  /** Loopback unless a person asks for more. */
  host?: string;
  /** 0: any free one. */
  port: number;
  /** Who may come in; a token of its own unless given. */
  tokens?: Tokens;
  /** A page that takes nothing of what waits for it for so long is ended. */
  silentMs?: number;
}

export interface WebHost {
  url: string;
  /** The address to open: whoever has it may do what the person at the machine may do. */
  urlWithToken: string;
  port: number;
  token: string;
  /** Bytes that wait unsent for all pages. */
  waitingBytes(): number;
  /** Ends every connection; when it resolves the port is free. */
  close(): Promise<void>;
}

/**
 * Serves the interface and the contract over HTTP, WebSocket and server-sent events.
 * Throws a HeadwayError `unavailable` that names --port or --host where it can't listen.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const boundHost = options.host ?? '127.0.0.1';
  const tokens = options.tokens ?? memoryTokens();
  const { token } = tokens;
  const own = { boundHost, tokens };
  const server = createServer();
  await listen(server, boundHost, options.port);

  const feed = createEventFeed(options.api);
  const sockets = createSockets(options.api, options);
  server.on('request', (request, response) => {
    route(request, response, { ...options, own, feed }).catch((thrown) => sendError(response, thrown));
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    upgradeStatus(request, own).then(
      (status) => {
        if (status === undefined) sockets.accept(request, socket, head);
        else socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      },
      () => socket.destroy(),
    );
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
    waitingBytes: () => sockets.waitingBytes(),
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

interface Own {
  boundHost: string;
  tokens: Tokens;
}

/** With what status an upgrade is refused; undefined: it is welcome. */
async function upgradeStatus(request: IncomingMessage, own: Own): Promise<number | undefined> {
  const url = parseUrl(request);
  if (url?.pathname !== '/api/socket') return 404;
  const claims = claimsOf(request, url);
  return findRefusal(claims, own.boundHost, await tokenState(claims, own))?.status;
}

interface RouteContext {
  api: Api;
  rendererDir: string;
  own: Own;
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
  const claims = claimsOf(request, url);
  const token = path.startsWith('/api/') ? await tokenState(claims, own) : 'not needed';
  const refusal = findRefusal(claims, own.boundHost, path === '/api/health' ? 'not needed' : token);
  if (refusal) {
    sendError(response, new HeadwayError('not-allowed', refusal.message), refusal.status);
    return;
  }
  setSecurityHeaders(response, request.headers.host ?? '');
  const name = /^\/api\/requests\/([\w.]+)$/.exec(path)?.[1];
  if (name) await serveRequest(request, response, api, name);
  else if (path === '/api/events' && request.method === 'GET') feed.serve(request, response);
  else if (path === '/api/health') sendJson(response, 200, { app: 'headway', ok: true, token });
  else if (path.startsWith('/api/')) sendError(response, notFound(path));
  else await serveStatic(request, response, { directory: rendererDir, urlPath: path });
}

const tokenState = async (claims: Claims, { tokens }: Own): Promise<'known' | 'unknown'> =>
  (await tokens.isKnown(tokenOf(claims))) ? 'known' : 'unknown';

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
