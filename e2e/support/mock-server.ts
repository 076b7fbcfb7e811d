import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { serveConnection } from '../../src/shared/rpc/server.ts';
import { createServerSocketTransport } from '../../src/shared/rpc/web-socket.ts';
import type { MockEngine } from './mock-engine.ts';
import { busyScene, emptyScene, gauges } from './mock-scenes.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export interface MockServer extends AsyncDisposable {
  url: string;
  /** Cuts all connections; the window comes back by itself. */
  dropConnections(): void;
}

/** Serves the built window and a mock engine on loopback. */
export async function startMockServer(
  engine: MockEngine,
  options: { rendererDir: string; port?: number },
): Promise<MockServer> {
  const http = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://local').pathname;
    if (path === '/api/health') {
      response.end(JSON.stringify({ app: 'headway', ok: true, token: 'known' }));
      return;
    }
    const file = normalize(path === '/' ? '/index.html' : path);
    readFile(join(options.rendererDir, file)).then(
      (body) => response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain').end(body),
      () => response.writeHead(404).end(),
    );
  });
  const sockets = new WebSocketServer({ server: http, path: '/api/socket' });
  sockets.on('connection', (socket: WebSocket) => {
    serveConnection(createServerSocketTransport(socket), engine, { caller: { kind: 'page' } });
  });
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve));
  const dropConnections = (): void => {
    for (const socket of sockets.clients) socket.terminate();
  };
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/?token=mock`,
    dropConnections,
    async [Symbol.asyncDispose]() {
      dropConnections();
      sockets.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Keeps a scene moving for somebody who looks at the window without an engine. */
async function show(scene: string, port: number, rendererDir: string): Promise<void> {
  const many = { running: 10, extraDone: 9000, extraWaiting: 1000 };
  const engine = scene === 'empty' ? emptyScene() : busyScene(scene === 'many' ? many : {});
  const { url } = await startMockServer(engine, { rendererDir: resolve(rendererDir), port });
  console.log(url);
  let beat = 0;
  setInterval(() => {
    beat += 1;
    engine.emit('gauges.sampled', gauges(beat, engine, scene !== 'empty'));
    for (const session of engine.sessions.values()) {
      if (session.state !== 'live' || session.interactive || beat % 3 > 0) continue;
      engine.print(session.id, `\x1b[2m${new Date().toISOString()}\x1b[0m still at it\r\n`);
    }
  }, 1000);
}

// node e2e/support/mock-server.ts [empty|busy|many] [port] [directory of the built window]
if (import.meta.main) {
  const [scene = 'busy', port = '4173', rendererDir = 'out/renderer'] = process.argv.slice(2);
  await show(scene, Number(port), rendererDir);
}
