import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const GATE = 'node -e "console.log(1)"';
const NAMES = ['one.ts', 'two.ts', 'three.ts', 'four.ts', 'five.ts'];
const FILES = NAMES.map((name) => `lib/${name}`).toSorted();
const WORK = `mkdir -p lib && for f in ${NAMES.join(' ')}; do echo x > lib/$f; done`;
const ticket = (command: string, ...more: string[]) =>
  [
    '---',
    'id: A',
    `agent: ${JSON.stringify(`command: ${command}`)}`,
    ...more,
    '---',
    'Change `src/a.ts`.',
  ].join('\n');

function start(text: string) {
  const repo = place.repository('repo', { 'src/a.ts': 'a\n' });
  const tickets = place.tickets('tickets', { A: text });
  return place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
}
async function reopened() {
  expect((await place.run('jobs', 'reopen', 'A')).exit).toBe(0);
  await using store = openSqliteStore(join(place.home, 'headway.db'));
  return (await store.jobs.changedSince(0))[0];
}
const CHANGED = { files: FILES, strayed: FILES };
const CLAIMED = { kind: 'paths', paths: FILES, from: 'changed' };

describe('what was saved of an attempt that ended before its work was collected', () => {
  it.each([
    ['failed', ticket(`${WORK}; exit 3`), { code: 'agent-failed' }],
    [
      'failed with commits',
      ticket(`${WORK}; git add . && git commit -qm x; exit 3`),
      { code: 'agent-failed' },
    ],
    ['ran out of time', ticket(`${WORK}; sleep 60`, 'timeout: 1s'), { code: 'timeout' }],
  ])(
    'counts when its agent %s: the job names its files, and is judged by them once it is reopened',
    async (_, text, cause) => {
      const { summary } = await start(text).finished;
      expect(summary.A).toMatchObject({ state: 'failed', cause, ...CHANGED });
      expect((await reopened())?.claim).toEqual(CLAIMED);
    },
  );

  it('counts when a person cancelled it', async () => {
    const there = join(place.root, 'there');
    const running = start(ticket(`${WORK}; touch ${there}; sleep 60`));
    while (!existsSync(there)) await delay(20);
    expect((await place.run('jobs', 'cancel', 'A')).exit).toBe(0);
    expect((await running.finished).summary.A).toMatchObject({ state: 'cancelled', ...CHANGED });
    expect((await reopened())?.claim).toEqual(CLAIMED);
  });
});
