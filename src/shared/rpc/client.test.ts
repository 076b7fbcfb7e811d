import { describe, expect, test } from 'vitest';
import { type ClientStatus, createClient, retryDelayMs } from './client.ts';
import { createInProcessPair } from './in-process.ts';
import { serveConnection } from './server.ts';
import { createFakeApi } from './testing/fake-api.ts';
import type { Timers } from './timers.ts';

/** Timers that run when the test says so. */
function createManualTimers() {
  let waiting: { run: () => void; delayMs: number }[] = [];
  const timers: Timers = {
    setTimeout(run, delayMs) {
      const entry = { run, delayMs };
      waiting.push(entry);
      return entry;
    },
    clearTimeout(handle) {
      waiting = waiting.filter((entry) => entry !== handle);
    },
  };
  return {
    timers,
    get delaysMs() {
      return waiting.map((entry) => entry.delayMs);
    },
    fire() {
      const due = waiting;
      waiting = [];
      for (const entry of due) entry.run();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a client that reconnects', () => {
  test('waits longer after each failure, up to a limit, and starts anew after a success', async () => {
    const manual = createManualTimers();
    const fake = createFakeApi({ 'host.pickFolder': () => ({ available: false }) });
    let reachable = false;
    let drop = (): void => {};
    const client = createClient(
      async () => {
        if (!reachable) throw new Error('refused');
        const pair = createInProcessPair();
        drop = serveConnection(pair.server, fake.api, { caller: { kind: 'in-process' } });
        return pair.client;
      },
      { timers: manual.timers },
    );
    const statuses: ClientStatus[] = [];
    client.onStatus((status) => statuses.push(status));
    const early = client.request('host.pickFolder', {});
    await expect(early).rejects.toMatchObject({ code: 'unavailable' });
    const delays: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      delays.push(...manual.delaysMs);
      manual.fire();
      await turn();
    }
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    reachable = true;
    manual.fire();
    await turn();
    await expect(client.request('host.pickFolder', {})).resolves.toEqual({ available: false });
    drop();
    await turn();
    expect(manual.delaysMs).toEqual([250]);
    expect(statuses.slice(0, 3)).toEqual(['connecting', 'closed', 'connecting']);
    client.close();
    expect(manual.delaysMs).toEqual([]);
  });

  test('tells why the other end closed the connection', async () => {
    const manual = createManualTimers();
    const pair = createInProcessPair();
    const client = createClient(async () => ({ ...pair.client, closeReason: () => 'enough' }), {
      timers: manual.timers,
    });
    const reasons: unknown[] = [];
    client.onStatus((status, why) => reasons.push([status, why]));
    await turn();
    pair.server.close();
    await turn();
    expect(reasons.at(-1)).toEqual(['closed', 'enough']);
    client.close();
  });

  test('closed while it connects, it drops the connection that arrives late', async () => {
    let arrive = (): void => {};
    const pair = createInProcessPair();
    const closed = new Promise<void>((resolve) => pair.server.onClose(resolve));
    const client = createClient(
      () =>
        new Promise((resolve) => {
          arrive = () => resolve(pair.client);
        }),
    );
    const early = client.request('host.pickFolder', {});
    client.close();
    arrive();
    await expect(early).rejects.toMatchObject({ code: 'unavailable' });
    await expect(closed).resolves.toBeUndefined();
  });

  test('an answer that is no object is an error, not a result', async () => {
    const pair = createInProcessPair();
    const client = createClient(async () => pair.client);
    pair.server.onFrame((frame) => {
      const { id } = frame as { id: number };
      pair.server.send({ type: 'reply', id: id + 100, ok: true, value: {} });
      pair.server.send({ type: 'reply', id, ok: true, value: 'text' });
    });
    await expect(client.request('host.pickFolder', {})).rejects.toMatchObject({ code: 'internal' });
    client.close();
  });

  test('the delay never grows beyond its limit', () => {
    expect(retryDelayMs(10_000)).toBe(5000);
  });
});

describe('a connection', () => {
  test('may not hold more than its share of requests and streams', async () => {
    const fake = createFakeApi({ 'job.diff': () => new Promise(() => {}) });
    fake.addSession('s');
    const pair = createInProcessPair();
    serveConnection(pair.server, fake.api, {
      caller: { kind: 'page' },
      maxPendingRequests: 1,
      maxStreams: 1,
    });
    const client = createClient(async () => pair.client);
    const first = client.request('job.diff', { jobId: 'a' });
    await expect(client.request('job.diff', { jobId: 'b' })).rejects.toMatchObject({ code: 'busy' });
    client.openSession('s', { data: () => {}, end: () => {} });
    const error = await new Promise((resolve) => {
      client.openSession('s', { data: () => {}, end: (_exit, why) => resolve(why) });
    });
    expect(error).toContain('1 streams');
    client.close();
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
  });
});
