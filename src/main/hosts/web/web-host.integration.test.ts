import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { HeadwayError } from '../../../shared/errors.ts';
import { createClient } from '../../../shared/rpc/client.ts';
import { createFakeApi, type FakeApi } from '../../../shared/rpc/testing/fake-api.ts';
import { openClientSocket } from '../../../shared/rpc/web-socket.ts';
import { startWebHost, type WebHost } from './start-web-host.ts';

let directory: string;
let fake: FakeApi;
let host: WebHost;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headway-web-'));
  await mkdir(join(directory, 'renderer', 'assets'), { recursive: true });
  await writeFile(join(directory, 'secret.txt'), 'TOP-SECRET');
  await writeFile(join(directory, 'renderer', 'index.html'), '<title>Headway</title>');
  await writeFile(join(directory, 'renderer', 'assets', 'index-abc.js'), 'export {}');
  await symlink(join(directory, 'secret.txt'), join(directory, 'renderer', 'assets', 'link.js'));
  fake = createFakeApi({
    'host.pickFolder': (_params, caller) => ({ available: false, path: caller.kind }),
    'job.get': ({ jobId }) => {
      throw new HeadwayError('busy', `busy with ${jobId}`, { data: { retryAfterMs: 1500 } });
    },
  });
  host = await startWebHost({ api: fake.api, rendererDir: join(directory, 'renderer'), port: 0 });
});

afterEach(async () => {
  await host.close();
  await rm(directory, { recursive: true });
});

type Answer = { status: number; headers: IncomingMessage['headers']; text: string };

async function ask(path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port: host.port, path, agent: false, ...options });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  };
}

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(path, { method: 'POST', headers: { authorization: `Bearer ${host.token}`, ...headers } }, body);

/** Status of a refused upgrade, or 101. */
async function upgrade(query: string, headers: Record<string, string> = {}): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}${query}`, { headers });
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', () => {});
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
  });
}

describe('the interface over HTTP', () => {
  test('the page is served without a token, uncached, under a strict policy', async () => {
    const page = await ask('/');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Headway');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['cache-control']).toBe('no-cache');
    const policy = page.headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    expect(page.headers['referrer-policy']).toBe('no-referrer');
  });

  test('files whose names hold a hash are cached for ever', async () => {
    const script = await ask('/assets/index-abc.js');
    expect(script.headers['cache-control']).toContain('immutable');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    const head = await ask('/assets/index-abc.js', { method: 'HEAD' });
    expect(head.headers['content-length']).toBe('9');
    expect(head.text).toBe('');
  });

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/link.js',
    '//etc/passwd',
    '/%00',
    '/%zz',
    '/.env',
    '/assets',
    '/nothing.js',
  ])('%s finds nothing', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('TOP-SECRET');
  });

  test('an interface that is not built says how to build it', async () => {
    const other = await startWebHost({ api: fake.api, rendererDir: join(directory, 'none'), port: 0 });
    const answer = await ask('/', { port: other.port });
    await other.close();
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('npm run build');
  });
});

describe('requests over HTTP', () => {
  test('a request is answered with its result, the token in the header or in the query', async () => {
    const answer = await post('/api/requests/host.pickFolder', '{}');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ available: false, path: 'http' });
    const byQuery = await ask(`/api/requests/host.pickFolder?token=${host.token}`, { method: 'POST' });
    expect(byQuery.status).toBe(200);
  });

  test('errors carry code, message and a fitting status', async () => {
    const busy = await post('/api/requests/job.get', '{"jobId":"j1"}');
    expect(busy.status).toBe(429);
    expect(busy.headers['retry-after']).toBe('2');
    expect(JSON.parse(busy.text).error).toMatchObject({ code: 'busy', message: 'busy with j1' });
    const bad = await post('/api/requests/slots.warm', '{"repoId":"r","count":-1}');
    expect(bad.status).toBe(400);
    expect(JSON.parse(bad.text).error.message).toContain('count');
    expect((await post('/api/requests/slots.warm', '{')).status).toBe(400);
    expect((await post('/api/requests/no.such', '{}')).status).toBe(404);
    expect((await ask(`/api/requests/job.get?token=${host.token}`)).status).toBe(405);
    expect((await post('/api/other', '{}')).status).toBe(404);
  });

  test('a body beyond the limit is refused without being kept', async () => {
    const sent = request({
      host: '127.0.0.1',
      port: host.port,
      agent: false,
      method: 'POST',
      path: `/api/requests/job.get?token=${host.token}`,
    });
    sent.on('error', () => {});
    const piece = Buffer.alloc(1024 * 1024, 32);
    for (let count = 0; count < 40; count += 1) sent.write(piece);
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    response.destroy();
  });

  test('without the token nothing is told; with a foreign Host or Origin neither', async () => {
    expect((await ask('/api/requests/app.snapshot', { method: 'POST' })).status).toBe(401);
    const wrong = { authorization: 'Bearer wrong' };
    expect((await post('/api/requests/app.snapshot', '{}', wrong)).status).toBe(401);
    expect((await ask('/api/events')).status).toBe(401);
    expect((await post('/api/requests/host.pickFolder', '{}', { host: 'evil.example' })).status).toBe(403);
    expect((await ask('/', { headers: { host: 'evil.example' } })).status).toBe(403);
    const origin = { origin: 'http://evil.example' };
    expect((await post('/api/requests/host.pickFolder', '{}', origin)).status).toBe(403);
    const own = { origin: `http://127.0.0.1:${host.port}`, host: `127.0.0.1:${host.port}` };
    expect((await post('/api/requests/host.pickFolder', '{}', own)).status).toBe(200);
    expect(JSON.parse((await ask('/api/health')).text)).toEqual({
      app: 'headway',
      ok: true,
      token: 'unknown',
    });
  });
});

describe('the socket', () => {
  test('a page with the token speaks the contract', async () => {
    const address = `ws://127.0.0.1:${host.port}/api/socket?token=${host.token}`;
    const client = createClient(() => openClientSocket(new WebSocket(address)));
    expect(await client.request('host.pickFolder', {})).toEqual({ available: false, path: 'page' });
    client.close();
  });

  test('wrong tokens, origins, hosts and paths are refused', async () => {
    expect(await upgrade('/api/socket')).toBe(401);
    expect(await upgrade('/api/socket?token=wrong')).toBe(401);
    expect(await upgrade(`/other?token=${host.token}`)).toBe(404);
    const right = `/api/socket?token=${host.token}`;
    expect(await upgrade(right, { origin: 'http://evil.example' })).toBe(403);
    expect(await upgrade(right, { host: 'evil.example' })).toBe(403);
    expect(await upgrade(right, { origin: `http://127.0.0.1:${host.port}` })).toBe(101);
  });
});

describe('server-sent events', () => {
  async function listenForEvents(lastId?: string) {
    const headers = {
      authorization: `Bearer ${host.token}`,
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    };
    const sent = request({ host: '127.0.0.1', port: host.port, path: '/api/events', agent: false, headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.setEncoding('utf8');
    let text = '';
    response.on('error', () => {});
    return {
      response,
      async until(wanted: string): Promise<string> {
        while (!text.includes(wanted)) text += (await once(response, 'data'))[0];
        return text;
      },
    };
  }
  const emit = (seq: number): void =>
    fake.emit({ name: 'jobs.ordered', payload: { left: [`job-${seq}`], placed: [] }, seq });

  test('a reader gets what happens, and after a pause what it missed', async () => {
    const first = await listenForEvents();
    emit(7);
    expect(await first.until('\n\n')).toBe(
      'id: 7\nevent: jobs.ordered\ndata: {"left":["job-7"],"placed":[]}\n\n',
    );
    first.response.destroy();
    emit(8);
    emit(9);
    const second = await listenForEvents('7');
    const text = await second.until('job-9');
    expect(text).toContain('id: 8');
    expect(text).not.toContain('reset');
    second.response.destroy();
  });

  test.each(['2', '99', 'nonsense'])('a reader whose last id is %s is told to start anew', async (lastId) => {
    emit(7);
    const reader = await listenForEvents(lastId);
    expect(await reader.until('\n\n')).toContain('event: reset');
    emit(8);
    expect(await reader.until('job-8')).toContain('id: 8');
    reader.response.destroy();
  });
});

describe('starting and stopping', () => {
  test('each start has a token of its own, in the address that it prints', async () => {
    const other = await startWebHost({ api: fake.api, rendererDir: directory, port: 0 });
    expect(other.token).not.toBe(host.token);
    expect(Buffer.from(other.token, 'base64url').byteLength).toBe(32);
    expect(other.urlWithToken).toBe(`http://127.0.0.1:${other.port}/?token=${other.token}`);
    await other.close();
  });

  test('a port in use names the option that helps', async () => {
    await expect(
      startWebHost({ api: fake.api, rendererDir: directory, port: host.port }),
    ).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/in use.*--port/),
    });
    await expect(
      startWebHost({ api: fake.api, rendererDir: directory, port: 0, host: '192.0.2.1' }),
    ).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('--host') });
  });

  test('closing ends pages, readers and half-open connections, and frees the port', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}/api/socket?token=${host.token}`);
    await once(socket, 'open');
    const idle = createConnection(host.port, '127.0.0.1');
    await once(idle, 'connect');
    idle.on('error', () => {});
    const gone = Promise.all([once(socket, 'close'), once(idle, 'close')]);
    idle.resume();
    await host.close();
    await gone;
    expect(fake.eventListeners).toBe(0);
    const again = await startWebHost({ api: fake.api, rendererDir: directory, port: host.port });
    expect(again.port).toBe(host.port);
    await again.close();
    await expect(host.close()).resolves.toBeUndefined();
  });
});
