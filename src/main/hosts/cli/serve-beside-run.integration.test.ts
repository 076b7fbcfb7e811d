import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Snapshot } from '../../../shared/contract.ts';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const append = (path: string, content: string) => ({ append: { path, content } });

it('a window that is open takes part in what a run in another process brings, and shows it', async () => {
  const repo = place.repository('repo', { 'a.txt': 'a\n', 'check.mjs': "console.log('1 file holds');\n" });
  const ids = ['A', 'B', 'C', 'D'];
  const tickets = place.tickets(
    'tickets',
    Object.fromEntries(
      ids.map((id) => [
        id,
        scripted({ id, paths: [`${id}.txt`] }, [{ pause: '300ms' }, append(`${id}.txt`, 'x\n')]),
      ]),
    ),
  );
  const { ask, stop } = await place.serve();
  const snapshot = async () => (await (await ask('app.snapshot')).json()) as Snapshot;
  expect((await snapshot()).repositories).toEqual([]);
  // One at a time here: the others are the window's, which has never heard of the repository.
  const run = await place.run(
    ...['run', '--repo', repo, '--tickets', tickets, '--max', '1', '--gate', 'node check.mjs'],
  );
  expect(Object.values(run.summary).map(({ state, reason }) => [state, reason])).toEqual(
    ids.map(() => ['merged', null]),
  );
  const shown = async () => {
    const { repositories, slots, sessions } = await snapshot();
    return {
      repositories: repositories.map(({ path }) => path),
      states: [...new Set(slots.map(({ state }) => state))],
      sessions: sessions.map(({ state }) => state),
    };
  };
  await expect
    .poll(shown, { timeout: 10_000 })
    .toEqual({ repositories: [repo], states: ['ready'], sessions: ids.map(() => 'exited') });
  await stop();
});

it('settings that one process changes hold in the other, and neither undoes them', async () => {
  const { ask, stop } = await place.serve();
  const other = await place.serve();
  await ask('settings.set', { maxJobs: 2 });
  await other.ask('settings.set', { maxAttempts: 7 });
  const settings = async () => ((await (await ask('app.snapshot')).json()) as Snapshot).settings;
  await expect.poll(settings, { timeout: 10_000 }).toMatchObject({ maxJobs: 2, maxAttempts: 7 });
  await Promise.all([stop(), other.stop()]);
});

it('a session of another process is not called ended while it lives, and is shown when it has', async () => {
  const repo = place.repository('repo', { 'a.txt': 'a\n' });
  const { ask, stop } = await place.serve();
  const { id: repoId } = (await (await ask('repository.add', { path: repo })).json()) as { id: string };
  await ask('session.open', { repoId, kind: 'shell', cols: 80, rows: 24 });
  await place.run('jobs');
  const other = await place.serve();
  const states = async () =>
    ((await (await other.ask('app.snapshot')).json()) as Snapshot).sessions.map(({ state }) => state);
  expect(await states()).toEqual([]);
  await stop();
  await expect.poll(states, { timeout: 10_000 }).toEqual(['exited']);
  await other.stop();
});
