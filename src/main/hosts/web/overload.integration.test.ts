import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createListeners } from '../../../shared/rpc/listeners.ts';
import type { Api } from '../../../shared/rpc/server.ts';
import { type Engine, openStoredEngine } from '../../engine/engine.ts';
import { resolveHome } from '../../settings/home.ts';
import { queuedJob } from '../../store/testing/queued-job.ts';
import { startWebHost, type WebHost } from './start-web-host.ts';

const MB = 1024 * 1024;
const JOBS = 10_000;
const PAGES = 100;

/** A page that is served no more. */
const ended = createListeners<[]>();
let directory: string;
let engine: Engine;
let host: WebHost;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headway-overload-'));
  engine = await openStoredEngine({ home: resolveHome({ HEADWAY_HOME: directory }), watchOnly: true });
  await engine.parts.store.jobs.insert(Array.from({ length: JOBS }, (_, index) => queuedJob(`j-${index}`)));
  await engine.recover();
  ended.clear();
  const onEvent: Api['onEvent'] = (listener) => {
    const stop = engine.api.onEvent(listener);
    return () => {
      stop();
      ended.emit();
    };
  };
  const api = { ...engine.api, onEvent };
  host = await startWebHost({ api, rendererDir: directory, port: 0, silentMs: 2000 });
});

afterEach(async () => {
  await host.close();
  await engine.stop();
  await rm(directory, { recursive: true });
});

type Page = { socket: WebSocket; bytes: number; seqs: number[]; end: Promise<unknown[]> };

async function openPage(): Promise<Page> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/api/socket?token=${host.token}`);
  socket.on('error', () => {});
  const page: Page = { socket, bytes: 0, seqs: [], end: once(socket, 'close') };
  socket.on('message', (message: Buffer) => {
    page.bytes += message.byteLength;
    const number = /^\{"type":"event".*"seq":(\d+)\}$/s.exec(message.toString());
    page.seqs.push(Number(number?.[1]));
  });
  await once(socket, 'open');
  return page;
}

const seen = async ({ socket, seqs }: Page, seq: number): Promise<void> => {
  while (seqs.at(-1) !== seq) await once(socket, 'message');
};

test('a hundred pages, half of them silent, hold neither a change nor much memory, and the silent ones are ended', async () => {
  const pages = await Promise.all(Array.from({ length: PAGES }, openPage));
  const readers = pages.filter((_, index) => index % 2 === 0);
  const silent = pages.filter((_, index) => index % 2 === 1);
  for (const { socket } of silent) socket.pause();
  const allEnded = new Promise<void>((resolve) => {
    let count = 0;
    ended.add(() => {
      count += 1;
      if (count === silent.length) resolve();
    });
  });

  // Ten thousand jobs wait for another limit, and each page is told so in little.
  const { bus } = engine.parts;
  await engine.api.handlers['settings.set']({ maxJobs: 3 }, { kind: 'http' });
  await Promise.all(readers.map((reader) => seen(reader, bus.seq)));
  for (const { bytes } of readers) expect(bytes).toBeLessThan(MB / 2);

  let mostWaiting = 0;
  for (let count = 0; count < 24; count += 1) {
    bus.emit('notice', { level: 'info', text: '-'.repeat(MB / 2), at: count });
    mostWaiting = Math.max(mostWaiting, host.waitingBytes());
    await Promise.all(readers.map((reader) => seen(reader, bus.seq)));
  }
  // Half a megabyte for each page at most, beside its share of what all may have.
  expect(mostWaiting).toBeLessThan(64 * MB + (PAGES * MB) / 2);
  for (const { socket, seqs } of readers) {
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(seqs).toEqual(Array.from({ length: bus.seq }, (_, index) => index + 1).slice(-seqs.length));
  }

  // They are ended while they still do not read; once they do they hear why.
  await allEnded;
  for (const { socket } of silent) socket.resume();
  const ends = await Promise.all(silent.map(({ end }) => end));
  for (const [code, reason] of ends) {
    expect(code).toBe(4000);
    expect(String(reason)).toContain('connects again');
  }
  expect(silent.every(({ seqs }) => seqs.length < (readers[0]?.seqs.length ?? 0))).toBe(true);
});
