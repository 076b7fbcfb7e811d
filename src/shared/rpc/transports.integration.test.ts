import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type AnyEvent, STREAM_HIGH_BYTES } from '../contract.ts';
import { HeadwayError } from '../errors.ts';
import { type ClientStatus, createClient, type HeadwayClient } from './client.ts';
import { createInProcessPair } from './in-process.ts';
import { createMessagePortTransport } from './message-port.ts';
import { type Api, serveConnection } from './server.ts';
import { createFakeApi } from './testing/fake-api.ts';
import type { ClientTransport } from './transport.ts';
import { createServerSocketTransport, openClientSocket } from './web-socket.ts';

/** Makes connections to an api; `drop` ends those that are open, as a crash or a lost network would. */
interface Network {
  connect(): Promise<ClientTransport>;
  drop(): void;
  dispose(): Promise<void>;
}

const networks: Record<string, (api: Api) => Promise<Network>> = {
  'in-process': async (api) => {
    const ends: (() => void)[] = [];
    return {
      async connect() {
        const { client, server } = createInProcessPair();
        ends.push(serveConnection(server, api, { caller: { kind: 'in-process' } }));
        return client;
      },
      drop: () => ends.splice(0).forEach((end) => void end()),
      dispose: async () => {},
    };
  },
  MessagePort: async (api) => {
    const ends: (() => void)[] = [];
    return {
      async connect() {
        const { port1, port2 } = new MessageChannel();
        ends.push(serveConnection(createMessagePortTransport(port1), api, { caller: { kind: 'window' } }));
        return createMessagePortTransport(port2);
      },
      drop: () => ends.splice(0).forEach((end) => void end()),
      dispose: async () => {},
    };
  },
  WebSocket: async (api) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    server.on('connection', (socket) => {
      serveConnection(createServerSocketTransport(socket), api, { caller: { kind: 'page' } });
    });
    const { port } = server.address() as AddressInfo;
    return {
      connect: () => openClientSocket(new WebSocket(`ws://127.0.0.1:${port}`)),
      drop: () => {
        for (const socket of server.clients) socket.terminate();
      },
      async dispose() {
        for (const socket of server.clients) socket.terminate();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
};

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const notice = (seq: number): AnyEvent => ({
  name: 'notice',
  payload: { level: 'info', text: `number ${seq}`, at: seq },
  seq,
});

describe.each(Object.entries(networks))('the contract over %s', (_name, createNetwork) => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function setUp(overrides: Parameters<typeof createFakeApi>[0] = {}) {
    const fake = createFakeApi(overrides);
    const network = await createNetwork(fake.api);
    cleanups.push(() => network.dispose());
    const client = createClient(network.connect);
    cleanups.push(() => client.close());
    return { fake, network, client };
  }

  function reaches(client: HeadwayClient, wanted: ClientStatus): Promise<void> {
    return new Promise((resolve) => {
      client.onStatus((status) => {
        if (status === wanted) resolve();
      });
    });
  }

  test('a request made before the connection is open is answered, with parsed params', async () => {
    const { client } = await setUp({
      'slot.remove': ({ slotId }, caller) => {
        expect(caller.kind).toBeTypeOf('string');
        if (slotId !== 's1') throw new HeadwayError('not-found', `no slot ${slotId}`);
        return {};
      },
    });
    await expect(client.request('slot.remove', { slotId: 's1' })).resolves.toEqual({});
  });

  test('answers find their requests whatever order they come in', async () => {
    const release = new Map<string, () => void>();
    const { client } = await setUp({
      'job.diff': ({ jobId }) =>
        new Promise((resolve) => release.set(jobId, () => resolve({ diff: jobId, cut: false, hash: '' }))),
      'host.pickFolder': () => ({ available: false }),
    });
    const first = client.request('job.diff', { jobId: 'one' });
    const second = client.request('job.diff', { jobId: 'two' });
    await client.request('host.pickFolder', {});
    release.get('two')?.();
    expect((await second).diff).toBe('two');
    release.get('one')?.();
    expect((await first).diff).toBe('one');
  });

  test("a handler's error arrives with its code, message and data", async () => {
    const { client } = await setUp({
      'job.get': () => {
        throw new HeadwayError('busy', 'later', { data: { retryAfterMs: 7 } });
      },
      'job.hold': () => {
        throw new TypeError('a slip');
      },
    });
    await expect(client.request('job.get', { jobId: 'j' })).rejects.toMatchObject({
      code: 'busy',
      message: 'later',
      data: { retryAfterMs: 7 },
    });
    await expect(client.request('job.hold', { jobId: 'j' })).rejects.toMatchObject({ code: 'internal' });
  });

  test('bad params are refused and the field is named; an unknown request is refused', async () => {
    const { client } = await setUp();
    await expect(client.request('slots.warm', { repoId: 'r', count: 0 })).rejects.toMatchObject({
      code: 'bad-input',
      data: { field: 'count' },
      message: expect.stringContaining('slots.warm: count'),
    });
    await expect(client.request('no.such' as 'app.snapshot', {})).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(client.request('constructor' as 'app.snapshot', {})).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  test('events arrive in order with their sequence numbers', async () => {
    const { client, fake } = await setUp();
    const got: AnyEvent[] = [];
    await reaches(client, 'open');
    // WebSocket servers learn of a connection after its client does: an answer proves that events flow.
    await client.request('job.get', { jobId: 'j' }).catch(() => {});
    const all = new Promise<void>((resolve) => {
      client.onEvent((event) => {
        got.push(event);
        if (got.length === 3) resolve();
      });
    });
    for (const seq of [4, 5, 6]) fake.emit(notice(seq));
    await all;
    expect(got).toEqual([notice(4), notice(5), notice(6)]);
  });

  test("a session's bytes arrive as they are, with what was skipped, its end and its exit code", async () => {
    const { client, fake } = await setUp();
    const session = fake.addSession('s-1');
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const chunks: [Uint8Array, number, number | undefined, boolean][] = [];
    const end = new Promise((resolve) => {
      const stream = client.openSession('s-1', {
        data(data, skipped, passedOver, answers) {
          chunks.push([data, skipped, passedOver, answers]);
          stream.ack(data.byteLength, passedOver === undefined ? undefined : 5_048);
          if (chunks.length === 1) client.input('s-1', text('typed \u00e9'));
        },
        end: (exitCode, error) => resolve({ exitCode, error }),
      });
    });
    await eventually(() => session.attached === 1);
    session.write(bytes.subarray(0, 100), 4_000_000);
    session.write(bytes.subarray(100), 0, 7, true);
    await eventually(() => session.unacknowledgedBytes === 0 && session.inputs.length === 1);
    session.end(3);
    expect(await end).toEqual({ exitCode: 3, error: undefined });
    expect(chunks.map(([, ...rest]) => rest)).toEqual([
      [4_000_000, undefined, false],
      [0, 7, true],
    ]);
    expect(session.keptLines).toEqual([undefined, 5_048]);
    expect(Buffer.concat(chunks.map(([data]) => data))).toEqual(Buffer.from(bytes));
    expect(new TextDecoder().decode(session.inputs[0])).toBe('typed \u00e9');
    expect(session.attached).toBe(0);
  });

  test('an unknown session ends its stream with the reason', async () => {
    const { client } = await setUp();
    const error = await new Promise((resolve) => {
      client.openSession('nobody', { data: () => {}, end: (_exit, why) => resolve(why) });
    });
    expect(error).toContain('nobody');
  });

  test('a flood waits for acknowledgements and loses nothing, while requests go on', async () => {
    const { client, fake } = await setUp({ 'host.pickFolder': () => ({ available: false }) });
    const session = fake.addSession('flood');
    const total = 3_000_000;
    let receivedBytes = 0;
    const held: number[] = [];
    let acknowledge = false;
    let resolve = (): void => {};
    const all = new Promise<void>((done) => {
      resolve = done;
    });
    const stream = client.openSession('flood', {
      data(bytes) {
        receivedBytes += bytes.byteLength;
        if (acknowledge) stream.ack(bytes.byteLength);
        else held.push(bytes.byteLength);
        if (receivedBytes === total) resolve();
      },
      end: () => {},
    });
    await eventually(() => session.attached === 1);
    session.flood(total, 16_384);
    await client.request('host.pickFolder', {});
    expect(session.peakBytes).toBeLessThan(STREAM_HIGH_BYTES + 16_384);
    acknowledge = true;
    for (const bytes of held) stream.ack(bytes);
    await all;
    expect(session.peakBytes).toBeLessThan(STREAM_HIGH_BYTES + 16_384);
  });

  test('acknowledging more than was sent does not open the gates', async () => {
    const { client, fake } = await setUp();
    const session = fake.addSession('greedy');
    const stream = client.openSession('greedy', {
      data: () => stream.ack(1_000_000_000),
      end: () => {},
    });
    await eventually(() => session.attached === 1);
    session.write(text('hello'));
    await eventually(() => session.unacknowledgedBytes <= 0);
    expect(session.unacknowledgedBytes).toBe(0);
  });

  test('typed input of several megabytes arrives whole, in pieces', async () => {
    const { client, fake } = await setUp();
    const session = fake.addSession('paste');
    await reaches(client, 'open');
    const paste = new Uint8Array(2_500_000).map((_, index) => index % 253);
    client.input('paste', paste);
    await eventually(
      () => session.inputs.reduce((sum, piece) => sum + piece.byteLength, 0) === paste.byteLength,
    );
    expect(Buffer.concat(session.inputs).equals(paste)).toBe(true);
  });

  test('closing a stream detaches the session', async () => {
    const { client, fake } = await setUp();
    const session = fake.addSession('s');
    const stream = client.openSession('s', { data: () => {}, end: () => {} });
    await eventually(() => session.attached === 1);
    stream.close();
    await eventually(() => session.attached === 0);
    expect(session.attached).toBe(0);
  });

  test('a lost connection fails what is pending, detaches sessions, and comes back by itself', async () => {
    const { client, fake, network } = await setUp({
      'job.diff': () => new Promise(() => {}),
      'host.pickFolder': () => ({ available: false }),
    });
    const session = fake.addSession('s');
    client.openSession('s', { data: () => {}, end: () => {} });
    await eventually(() => session.attached === 1);
    const statuses: ClientStatus[] = [];
    client.onStatus((status) => statuses.push(status));
    const reopened = new Promise<void>((resolve) => {
      client.onStatus((status) => {
        if (status === 'open' && statuses.includes('closed')) resolve();
      });
    });
    const hanging = client.request('job.diff', { jobId: 'j' });
    network.drop();
    await expect(hanging).rejects.toMatchObject({ code: 'unavailable' });
    await eventually(() => session.attached === 0);
    await expect(client.request('host.pickFolder', {})).rejects.toMatchObject({ code: 'unavailable' });
    await reopened;
    expect(statuses).toEqual(['open', 'closed', 'connecting', 'open']);
    await expect(client.request('host.pickFolder', {})).resolves.toEqual({ available: false });
    expect(fake.eventListeners).toBe(1);
  });

  test('a closed client answers at once and leaves nothing attached', async () => {
    const { client, fake } = await setUp({ 'job.diff': () => new Promise(() => {}) });
    const session = fake.addSession('s');
    client.openSession('s', { data: () => {}, end: () => {} });
    await eventually(() => session.attached === 1);
    const hanging = client.request('job.diff', { jobId: 'j' });
    client.close();
    await expect(hanging).rejects.toMatchObject({ code: 'unavailable' });
    await expect(client.request('job.diff', { jobId: 'j' })).rejects.toMatchObject({ code: 'unavailable' });
    await eventually(() => session.attached === 0 && fake.eventListeners === 0);
    expect(session.attached).toBe(0);
  });

  test.each([
    ['no object', 42],
    ['an unknown type', { type: 'shutdown' }],
    ['a negative acknowledgement', { type: 'ack', stream: 1, bytes: -5 }],
    ['a stream id that is no number', { type: 'open', stream: '1', sessionId: 's' }],
    ['input for a nameless session', { type: 'input', sessionId: '', bytes: text('x') }],
  ])('%s ends the connection, and only that one', async (_what, frame) => {
    const fake = createFakeApi();
    const network = await createNetwork(fake.api);
    cleanups.push(() => network.dispose());
    const hostile = await network.connect();
    const closed = new Promise<void>((resolve) => hostile.onClose(resolve));
    hostile.onFrame(() => {});
    hostile.send(frame as never);
    await closed;
    await eventually(() => fake.eventListeners === 0);
    expect(fake.eventListeners).toBe(0);
  });
});

/** Waits, turn by turn of the event loop, until it holds; the test's own time limit is the bound. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
