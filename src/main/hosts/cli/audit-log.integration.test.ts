import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const GATE = "node -e \"process.exit(require('fs').existsSync('BROKEN') ? 1 : 0)\"";
type Entry = { seq: number; who: string; via: string; action: string; subject: string; text: string };

const entries = async (...args: string[]): Promise<Entry[]> =>
  (await place.run('audit-log', ...args)).lines as unknown as Entry[];

it('the audit log says who did what to which repository, and shows when it was changed', async () => {
  const repo = place.repository('repo', { 'README.md': 'x\n' });
  const other = place.repository('other', { 'README.md': 'x\n' });
  const write = (path: string) => ({ write: { path, content: 'x\n' } });
  const tickets = place.tickets('tickets', {
    A: scripted({ id: 'A', paths: ['a'] }, [write('a')]),
    B: scripted({ id: 'B', paths: ['BROKEN'] }, [write('BROKEN')]),
  });
  await place.run('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
  await place.run('jobs', 'reopen', 'B');
  await place.run('jobs', 'cancel', 'B');
  await place.run('slots', 'warm', '--repo', other, '--count', '1');

  const all = await entries('--repo', repo);
  const did = all.map(({ action, subject }) => `${action} ${subject}`);
  for (const expected of [
    'repository-added repo',
    'submit A',
    'submit B',
    'claim A',
    'merge A',
    'attempt-merged A',
  ]) {
    expect(did).toContain(expected);
  }
  expect(did.filter((each) => each.endsWith(' B')).slice(-3)).toEqual([
    'attempt-failed B',
    'reopen B',
    'cancel B',
  ]);
  const person = all.find(({ action }) => action === 'reopen');
  expect(person).toMatchObject({ via: 'command line', text: 'was failed' });
  expect(all.find(({ action }) => action === 'claim')).toMatchObject({ who: 'headway', via: 'runner' });
  expect(all.find(({ action }) => action === 'attempt-merged')?.text).toMatch(/^[0-9a-f]{40} into main$/);
  expect(did.some((each) => each.includes('other'))).toBe(false);
  expect((await entries()).map(({ action }) => action)).toContain('slot-made');
  expect(await entries('--since', '2999-01-01')).toEqual([]);
  expect((await place.run('audit-log', '--since', 'someday')).exit).toBe(2);
  expect(await place.run('audit-log', '--verify')).toMatchObject({ exit: 0, lines: [{ whole: true }] });

  const db = new Database(join(place.home, 'headway.db'));
  expect(() => db.exec("UPDATE audit SET text = 'nothing' WHERE seq = 2")).toThrow(/only added to/);
  expect(() => db.exec('DELETE FROM audit WHERE seq = 2')).toThrow(/only added to/);
  db.exec("DROP TRIGGER audit_is_never_changed; UPDATE audit SET who = 'nobody' WHERE seq = 2");
  db.close();
  expect(await place.run('audit-log', '--verify')).toMatchObject({
    exit: 1,
    lines: [{ whole: false, problem: 'entry 2 was changed' }],
  });
});
