import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../../shared/domain.ts';
import { DEFAULT_SETTINGS } from '../../settings/defaults.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type JobLine, Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const GATE = "node -e \"process.exit(require('fs').existsSync('BROKEN') ? 1 : 0)\"";
const write = (path: string) => ({ write: { path, content: 'x\n' } });
const ticket = (id: string, ...before: unknown[]) =>
  scripted({ id, paths: [`src/${id}.ts`] }, [...before, write(`src/${id}.ts`)]);

async function set(change: Partial<Settings>): Promise<void> {
  mkdirSync(place.home, { recursive: true });
  await using store = openSqliteStore(join(place.home, 'headway.db'));
  await store.settings.change(() => ({ ...DEFAULT_SETTINGS, ...change }));
}

/** The most jobs that ran at one moment; one that is to merge gives its seat to another while it waits. */
function most(jobs: readonly JobLine[]): number {
  const running = new Set<string>();
  const merging = new Set<string>();
  let found = 0;
  for (const { ticket: id, state, stage } of jobs) {
    if (stage === 'merge') merging.add(id);
    if (state === 'running' && !merging.has(id)) running.add(id);
    else running.delete(id);
    found = Math.max(found, running.size);
  }
  return found;
}

describe('limits', () => {
  it('refuse a submission that the queue has no room for, whole, and never one that is known', async () => {
    await set({ maxQueued: 2 });
    const repo = place.repository('repo', { 'README.md': 'x\n' });
    const tickets = (name: string, ...ids: string[]) =>
      place.tickets(name, Object.fromEntries(ids.map((id) => [id, ticket(id, { pause: '30s' })])));
    const args = (dir: string) => ['run', '--repo', repo, '--tickets', dir, '--gate', GATE, '--max', '1'];
    const first = place.start(...args(tickets('first', 'A', 'B')));
    await first.line((line) => line.type === 'job' && (line as JobLine).stage === 'agent');
    const refused = await place.run(...args(tickets('second', 'C', 'D')));
    expect(refused.exit).toBe(2);
    expect(refused.error).toMatchObject({ code: 'busy', data: { limit: 2, queued: 1 } });
    expect(refused.error?.message).toMatch(/Try again in about \d+ (s|min|h)\./);
    const { jobs } = (await place.run('jobs')).lines[0] as unknown as { jobs: JobLine[] };
    expect(jobs.map((job) => job.ticket)).toEqual(['A', 'B']);
    // The same tickets again: they are in the queue already.
    await set({ maxQueued: 1 });
    const again = place.start(...args(join(place.root, 'first')));
    await again.line((line) => line.type === 'job' && (line as JobLine).ticket === 'B');
    again.child.kill('SIGTERM');
    first.child.kill('SIGTERM');
    await Promise.all([again.finished, first.finished]);
  });

  it('refuse over HTTP with 429 and Retry-After', async () => {
    await set({ maxQueued: 1, maxJobs: 1 });
    const repo = place.repository('repo', { 'README.md': 'x\n' });
    const { ask, stop } = await place.serve();
    const { id: repoId } = (await (await ask('repository.add', { path: repo })).json()) as { id: string };
    const submit = (id: string) =>
      ask('tickets.submit', { repoId, files: [{ name: `${id}.md`, text: ticket(id, { pause: '30s' }) }] });
    expect((await submit('A')).status).toBe(200);
    expect((await submit('B')).status).toBe(200);
    const refused = await submit('C');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'busy', data: { queued: 1, limit: 1 } } });
    expect((await submit('B')).status).toBe(200);
    await ask('settings.set', { maxQueued: 2 });
    expect((await submit('C')).status).toBe(200);
    await stop();
    const log = (await place.run('audit-log')).lines as unknown as {
      action: string;
      via: string;
      text: string;
    }[];
    expect(log.find(({ action }) => action === 'submit')?.via).toBe('http');
    expect(log.filter(({ action }) => action === 'setting').map(({ text }) => text)).toEqual(['1 → 2']);
  });

  it('hold what the policy of a repository caps, and say so', async () => {
    const repo = place.repository('repo', {
      'headway.yaml': `gate:\n  - run: ${JSON.stringify(GATE)}\ncaps: { jobs: 1 }\n`,
    });
    const dir = place.tickets('tickets', {
      A: ticket('A', { pause: '300ms' }),
      B: ticket('B', { pause: '300ms' }),
    });
    const done = await place.run('run', '--repo', repo, '--tickets', dir, '--max', '4');
    expect(done.exit).toBe(0);
    expect(most(done.jobs)).toBe(1);
    expect(done.jobs.map((job) => job.cause)).toContainEqual({ code: 'cap', scope: 'repository', limit: 1 });
  });

  it('hold what one user may run at once', async () => {
    await set({ maxJobsPerUser: 1 });
    const repo = place.repository('repo', { 'README.md': 'x\n' });
    const dir = place.tickets('tickets', {
      A: ticket('A', { pause: '300ms' }),
      B: ticket('B', { pause: '300ms' }),
    });
    const done = await place.run('run', '--repo', repo, '--tickets', dir, '--gate', GATE, '--max', '4');
    expect(done.exit).toBe(0);
    expect(most(done.jobs)).toBe(1);
    expect(done.jobs.map((job) => job.cause)).toContainEqual({ code: 'cap', scope: 'user', limit: 1 });
  });
});

it('starts another job while one that is verified waits for its turn to merge', async () => {
  const repo = place.repository('repo', { 'README.md': 'x\n' });
  const go = join(place.root, 'go');
  const hook = join(repo, '.git/hooks/pre-receive');
  writeFileSync(hook, `#!/bin/sh\nuntil [ -e ${go} ]; do sleep 0.05; done\n`);
  chmodSync(hook, 0o755);
  const ids = ['A', 'B', 'C', 'D'];
  const tickets = place.tickets('tickets', Object.fromEntries(ids.map((id) => [id, ticket(id)])));
  const run = place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE, '--max', '2');
  const says = (fits: (line: JobLine) => boolean) =>
    run.line((line) => line.type === 'job' && fits(line as JobLine));
  // Of two at once one lands and hangs in the hook; behind it two more are verified. The fourth finds no seat.
  await says(({ ticket: id, cause }) => id === 'C' && cause?.code === 'waits-for-merge');
  await says(({ ticket: id, state }) => id === 'D' && state === 'running');
  writeFileSync(go, '');
  const { summary } = await run.finished;
  expect(ids.map((id) => summary[id]?.state)).toEqual(ids.map(() => 'merged'));
});
