import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openScratch } from './scratch.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headway-scratch-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const listen = (port: number) =>
  new Promise<() => Promise<void>>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve(() => new Promise((closed) => void server.close(() => closed()))),
    );
  });

it('gives those who ask at once directories and ports of their own, which can be used', async () => {
  // The same wish on purpose: as two processes with the same job would have it.
  const all = await Promise.all(['a', 'b', 'c'].map((name) => openScratch(join(root, name), 'j-1-1')));
  const blocks = all.map(({ env }) => [Number(env.HEADWAY_PORT), Number(env.HEADWAY_LAST_PORT)] as const);
  expect(blocks.map(([first, last]) => last - first)).toEqual([8, 8, 8]);
  expect(new Set(blocks.map(([first]) => first)).size).toBe(3);
  const closers = await Promise.all(blocks.flatMap(([first, last]) => [listen(first), listen(last)]));
  await Promise.all(closers.map((close) => close()));
  for (const { dir, env } of all) {
    expect([env.TMPDIR, env.TEMP, env.TMP]).toEqual([dir, dir, dir]);
    writeFileSync(join(dir, 'left'), 'x');
  }
  for (const scratch of all) await scratch[Symbol.asyncDispose]();
  expect(all.filter(({ dir }) => existsSync(dir))).toEqual([]);
});

it.runIf(process.platform !== 'win32')('goes also where a job closed directories in it', async () => {
  const scratch = await openScratch(root, 'j-3-1');
  const closed = join(scratch.dir, 'closed');
  mkdirSync(closed);
  writeFileSync(join(closed, 'left'), 'x');
  chmodSync(closed, 0o500);
  await scratch[Symbol.asyncDispose]();
  expect(existsSync(scratch.dir)).toBe(false);
});

it('passes over a block in which a program of somebody else listens, and gives it when that is gone', async () => {
  const before = await openScratch(root, 'j-2-1');
  const wanted = Number(before.env.HEADWAY_PORT);
  await before[Symbol.asyncDispose]();
  const close = await listen(wanted + 3);
  const beside = await openScratch(root, 'j-2-1');
  expect(Number(beside.env.HEADWAY_PORT)).not.toBe(wanted);
  await beside[Symbol.asyncDispose]();
  await close();
  const again = await openScratch(root, 'j-2-1');
  expect(Number(again.env.HEADWAY_PORT)).toBe(wanted);
  await again[Symbol.asyncDispose]();
});
