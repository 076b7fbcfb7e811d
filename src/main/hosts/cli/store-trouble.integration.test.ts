import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../../processes/environment.ts';
import { run } from '../../processes/run.ts';
import { type Home, resolveHome } from '../../settings/home.ts';
import { fillDisk, freeDisk, onReadOnlyDisk, onSmallDisk } from '../../testing/small-disk.ts';
import { type EngineProcess, startEngineProcess } from '../../testing/start-engine-process.ts';
import { Faults } from './testing/crash/faults.ts';
import { lookAtLeftovers } from './testing/crash/look-at-leftovers.ts';
import { lookAtStore } from './testing/crash/look-at-store.ts';
import { Place, PROGRAM, scripted } from './testing/headway.ts';

let place: Place;
let home: Home;
let go: string;
const started: EngineProcess[] = [];
beforeEach(() => {
  place = new Place();
  home = resolveHome({ HEADWAY_HOME: place.home });
  go = join(place.root, 'go');
});
afterEach(async () => {
  for (const process of started.splice(0)) {
    process.child.kill('SIGKILL');
    await process.ended;
  }
  await place.close();
});

const GATE = 'test ! -e BROKEN';
const TIMING = { heartbeatMs: 200, hungAfterMs: 60_000 };

/** Tickets with a file each; the first one waits for `go`. */
function ticketsOf(names: readonly string[]): string {
  const step = (name: string) => ({ append: { path: `${name}.txt`, content: `${name}\n` } });
  const wait = { run: `while ! test -e ${go}; do sleep 0.05; done` };
  return place.tickets(
    'tickets',
    Object.fromEntries(
      names.map((name, index) => [
        name,
        scripted({ id: name, paths: [`${name}.txt`] }, [...(index === 0 ? [wait] : []), step(name)]),
      ]),
    ),
  );
}

describe.runIf(process.platform === 'linux')('a data directory whose disk is full', () => {
  it('stops the start of jobs and says so; what runs waits to be recorded, and all goes on without a restart', async () => {
    const repo = place.repository('repo', { 'README.md': 'readme\n' });
    const disk = join(place.root, 'disk');
    const process = startEngineProcess(
      {
        home: { ...home, database: join(disk, 'headway.db') },
        repo,
        tickets: ticketsOf(['A', 'B']),
        gate: GATE,
        timing: TIMING,
        maxJobs: 1,
      },
      (command) => onSmallDisk(disk, { megabytes: 4 }, command),
    );
    started.push(process);
    await process.said({ type: 'job', ticket: 'A', stage: 'agent' });
    const pid = process.child.pid ?? 0;
    fillDisk(pid, disk);
    await process.said({
      type: 'problem',
      text: /^No job is started: The disk of the data directory is full/,
    });
    await process.said({ type: 'job', ticket: 'B', cause: 'store-trouble' });
    writeFileSync(go, '');
    // The agent ends; nothing can be recorded, so nothing goes further. Several beats are refused meanwhile.
    await delay(1_500);
    expect(place.git(repo, 'rev-list', '--count', 'main')).toBe('1');
    expect(process.lines.filter(({ state }) => state === 'merged' || state === 'failed')).toEqual([]);
    freeDisk(pid, disk);
    await process.said({ type: 'problem', text: /^Changes can be recorded again/ });
    await process.said({ type: 'job', ticket: 'A', state: 'merged', attempts: 1 });
    await process.said({ type: 'job', ticket: 'B', state: 'merged', attempts: 1 });
    expect(await process.said({ type: 'end' })).toMatchObject({ integrity: 'ok' });
    expect(await process.ended).toEqual({ exit: 0, stderr: '' });
    expect(place.git(repo, 'rev-list', '--count', 'main')).toBe('3');
  });
});

describe.runIf(process.platform === 'linux')('a data directory that is read-only', () => {
  it('is named, with the way out, and nothing is begun', async () => {
    const repo = place.repository('repo', { 'README.md': 'readme\n' });
    const command = [process.execPath, PROGRAM, 'run', '--repo', repo, '--tickets', ticketsOf(['A'])];
    const [file = '', ...args] = onSmallDisk(place.home, { megabytes: 4, readOnly: true }, command);
    const result = await run({
      command: { file, args },
      cwd: place.root,
      env: childEnvironment({ HEADWAY_HOME: place.home }),
    });
    expect(result.exit).not.toBe(0);
    expect(result.stderr).toContain(place.home);
    expect(result.stderr).toContain('HEADWAY_HOME');
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(place.git(repo, 'rev-list', '--count', 'main')).toBe('1');
  });
});

describe.runIf(process.platform === 'linux')(
  'a data directory that became read-only between two runs',
  () => {
    it('stops the second one with words; the third goes on, and nothing is lost, done twice or left', async () => {
      const repo = place.repository('repo', { 'README.md': 'readme\n' });
      const args = ['run', '--repo', repo, '--tickets', ticketsOf(['A', 'B']), '--gate', GATE, '--json'];
      const first = place.start(...args.slice(0, -1));
      await first.line((line) => line.type === 'job' && line.ticket === 'A' && line.stage === 'agent');
      first.child.kill('SIGKILL');
      await first.finished;
      const [file = '', ...command] = onReadOnlyDisk(place.home, [process.execPath, PROGRAM, ...args]);
      const second = await run({
        command: { file, args: command },
        cwd: place.root,
        env: childEnvironment({ HEADWAY_HOME: place.home }),
      });
      expect(second.exit).not.toBe(0);
      expect(second.stdout).toContain('it is on a read-only file system');
      writeFileSync(go, '');
      const third = await place.run(...args.slice(0, -1));
      expect(third.exit).toBe(0);
      expect(third.summary).toMatchObject({ A: { state: 'merged' }, B: { state: 'merged' } });
      expect(place.git(repo, 'rev-list', '--count', '--first-parent', 'main')).toBe('3');
      expect(faultsOf(['A', 'B'])).toEqual([]);
    });
  },
);

/** What is lost, done twice or left behind once everything is at rest. */
function faultsOf(tickets: readonly string[]): unknown {
  const faults = new Faults();
  lookAtStore(home.database, tickets, faults);
  lookAtLeftovers(place.root, place.home, join(place.root, 'repo'), faults);
  return faults.list;
}

describe('a database that another process holds', () => {
  it('is waited for without blocking this one; everything lands afterwards, once', async () => {
    const repo = place.repository('repo', { 'README.md': 'readme\n' });
    const names = ['A', 'B', 'C', 'D', 'E'];
    const process = startEngineProcess({
      home,
      repo,
      tickets: ticketsOf(names),
      gate: GATE,
      timing: TIMING,
      maxJobs: 2,
    });
    started.push(process);
    await process.said({ type: 'job', ticket: 'A', stage: 'agent' });
    const other = new Database(home.database);
    try {
      other.exec('BEGIN IMMEDIATE');
      writeFileSync(go, '');
      await delay(8_000);
      other.exec('ROLLBACK');
    } finally {
      other.close();
    }
    const end = await process.said({ type: 'end' });
    // A driver that waits by itself would block for its whole timeout, or for as long as the lock is held.
    expect(end.longestBlockMs).toBeLessThan(2_000);
    expect(end.integrity).toBe('ok');
    expect(await process.ended).toEqual({ exit: 0, stderr: '' });
    expect(process.lines.filter(({ type }) => type === 'problem')).toEqual([]);
    for (const name of names) {
      expect(process.lines.findLast(({ ticket }) => ticket === name)).toMatchObject({
        state: 'merged',
        attempts: 1,
      });
    }
    expect(place.git(repo, 'rev-list', '--count', '--first-parent', 'main')).toBe('6');
    expect(faultsOf(names)).toEqual([]);
  });
});
