import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type JobLine, type Line, Place, scripted } from './testing/headway.ts';

let place: Place;
let repo: string;
beforeEach(() => {
  place = new Place();
  repo = place.repository('repo', { 'a.txt': 'a\n' });
});
afterEach(async () => {
  await place.close();
});

const GATE = 'test -e a.txt && echo there';
const append = (text: string) => ({ append: { path: 'a.txt', content: `${text}\n` } });
const jobLine =
  (ticket: string, fields: Partial<JobLine>) =>
  (line: Line): boolean =>
    line.type === 'job' &&
    (line as JobLine).ticket === ticket &&
    Object.entries(fields).every(([name, value]) => line[name as keyof Line] === value);
const attemptsOf = async (ticket: string) => {
  await using store = openSqliteStore(join(place.home, 'headway.db'));
  const job = (await store.jobs.changedSince(0)).find((each) => each.ticket.id === ticket);
  return (await store.jobs.attempts(job?.id ?? '')).map(({ outcome, cause }) => [outcome, cause?.code]);
};

describe('an attempt that another one may get over', () => {
  it('is tried again after its pause, which events and `headway why` tell with its reason', async () => {
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['a.txt'] }, [{ pause: '60s' }, append('A')]),
      B: scripted({ id: 'B', paths: ['a.txt'] }, [append('B')]),
    });
    const running = place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
    await running.line(jobLine('A', { stage: 'agent' }));
    // From now on no git can read the repository: B, which begins when A is cancelled, can't be prepared.
    const config = join('repo', '.git', 'config');
    const whole = place.git(repo, 'config', '--list', '--file', '.git/config');
    expect(whole).toContain('core.bare=false');
    place.git(repo, 'config', 'core.repositoryformatversion', '1');
    place.git(repo, 'config', 'extensions.unheardof', 'true');
    const cancelled = place.run('jobs', 'cancel', 'A');
    const waiting = (await running.line(
      (line) => jobLine('B', { state: 'queued' })(line) && (line as JobLine).cause?.code === 'backoff',
    )) as JobLine & { cause: { untilAt: number; why: string } };
    const [why] = (await place.run('why', 'B')).lines as unknown as [Record<string, unknown>];
    place.write(
      config,
      '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = Test\n\temail = test@example.invalid\n',
    );
    await cancelled;

    expect(waiting.cause.why).toContain('unheardof');
    expect(waiting.cause.untilAt).toBeGreaterThan(waiting.at);
    expect(waiting.reason).toMatch(/unheardof/);
    // It says the same for as long as the pause lasts; a loaded machine may ask after it.
    if (why.state === 'queued') expect(why).toMatchObject({ ticket: 'B', cause: { code: 'backoff' } });
    const { summary } = await running.finished;
    expect(summary).toMatchObject({ A: { state: 'cancelled' }, B: { state: 'merged' } });
    const attempts = await attemptsOf('B');
    expect(attempts.at(-1)).toEqual(['merged', undefined]);
    expect(attempts.length).toBeGreaterThanOrEqual(2);
    expect(new Set(attempts.slice(0, -1).map(String))).toEqual(new Set(['requeued,fetch-failed']));
  });
});

describe('an agent that never begins', () => {
  it('fails its job after the time that the settings name, and leaves nothing waiting', async () => {
    const server = createServer(() => undefined); // takes every question and answers none
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      place.env.OLLAMA_HOST = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await place.run('settings', 'set', 'agentStartMs', '300ms');
      const tickets = place.tickets('tickets', { T: '---\nid: T\npaths: [a.txt]\n---\n# Do it\nDo it.\n' });
      const { summary, exit } = await place.run(
        ...['run', '--repo', repo, '--tickets', tickets, '--agent', 'ollama: small', '--gate', GATE],
      );
      expect(exit).toBe(1);
      expect(summary.T).toMatchObject({
        state: 'failed',
        cause: { code: 'not-started', limitMs: 300 },
        attempts: 1,
      });
      expect(await attemptsOf('T')).toEqual([['failed', 'not-started']]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
