import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesWithVariable } from '../../processes/process-table.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type JobLine, Place, scripted } from './testing/headway.ts';

let place: Place;
let there: string;
let go: string;
beforeEach(() => {
  place = new Place();
  there = join(place.root, 'there');
  go = join(place.root, 'go');
});
afterEach(async () => {
  await place.close();
});

/** Says that it is there, and goes on when it is told. */
const wait = (): string => `touch ${there}; while ! test -e ${go}; do sleep 0.05; done`;
const untilThere = async (): Promise<void> => {
  while (!existsSync(there)) await delay(20);
};
const base = () => place.git(join(place.root, 'repo'), 'show', 'main:a.txt');

/** A repository and one ticket of which one stage waits. */
function waitingIn(stage: string): string[] {
  const script = place.write('wait.sh', wait());
  const policy = [
    ...(stage === 'install' ? [`setup: sh ${script}`] : []),
    `gate: ["${stage === 'gate' ? `sh ${script} && ` : ''}test -e a.txt && echo there"]`,
  ];
  const repo = place.repository('repo', { 'a.txt': 'a\n', 'headway.yaml': `${policy.join('\n')}\n` });
  if (stage === 'merge') {
    const hook = place.write('repo/.git/hooks/pre-receive', `#!/bin/sh\n${wait()}\n`);
    chmodSync(hook, 0o755);
  }
  const tickets = place.tickets('tickets', {
    A: scripted({ id: 'A', paths: ['a.txt'] }, [
      ...(stage === 'agent' ? [{ run: wait() }] : []),
      { append: { path: 'a.txt', content: 'A\n' } },
    ]),
  });
  return ['run', '--repo', repo, '--tickets', tickets, '--trust'];
}

async function atRest(): Promise<unknown[]> {
  await using store = openSqliteStore(join(place.home, 'headway.db'));
  const slots = (await store.slots.list()).map(({ state, jobId }) => [state, jobId]);
  return [
    slots.filter(([state]) => state !== 'ready'),
    await store.runners.list(),
    await store.effects.open(),
  ];
}

describe.runIf(process.platform === 'linux')('a job that is cancelled', () => {
  it.each(['install', 'agent', 'gate'])(
    'in %s ends with all that it runs, merges nothing, and merges once when it is reopened',
    async (stage) => {
      const command = waitingIn(stage);
      const running = place.start(...command);
      await untilThere();
      const line = (await running.line(
        (each) => each.type === 'job' && (each as JobLine).stage === stage,
      )) as JobLine;
      expect((await place.run('jobs', 'cancel', 'A')).exit).toBe(0);
      const { summary, exit } = await running.finished;
      expect([exit, summary.A?.state]).toEqual([1, 'cancelled']);
      expect(await processesWithVariable('HEADWAY_JOB', line.job)).toEqual([]);
      expect(base()).toBe('a');
      expect(await atRest()).toEqual([[], [], []]);

      place.write('go', '');
      expect((await place.run('jobs', 'reopen', 'A')).exit).toBe(0);
      expect((await place.run(...command)).summary.A).toMatchObject({ state: 'merged', attempts: 2 });
      expect(base()).toBe('a\nA');
      expect(place.git(join(place.root, 'repo'), 'rev-list', '--count', 'main')).toBe('2');
    },
  );

  it('in the moment in which it lands is merged, and says so', async () => {
    const running = place.start(...waitingIn('merge'));
    await untilThere();
    expect((await place.run('jobs', 'cancel', 'A')).exit).toBe(0);
    await running.line((line) => line.type === 'job' && (line as JobLine).state === 'cancelled');
    place.write('go', '');
    const { summary } = await running.finished;
    expect(base()).toBe('a\nA');
    expect(summary.A).toMatchObject({ state: 'merged', cause: null });
    expect(await atRest()).toEqual([[], [], []]);
  });
});
