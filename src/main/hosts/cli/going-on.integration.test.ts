import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobLine, type Line, Place, type Running, scripted } from './testing/headway.ts';

let place: Place;
let repo: string;
beforeEach(() => {
  place = new Place();
  repo = place.repository('repo', { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'README.md': 'readme\n' });
});
afterEach(async () => {
  await place.close();
});

const GATE = 'node -e "console.log(1)"';
const append = (path: string, content: string) => ({ append: { path, content } });
const start = (steps: readonly unknown[] = [append('src/a.ts', 'A\n')], ...more: string[]): Running => {
  const told = { run: `echo ran >> ${place.root}/runs` };
  const tickets = place.tickets('tickets', { A: scripted({ id: 'A', paths: ['src'] }, [...steps, told]) });
  return place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE, ...more);
};
const agentRuns = () => readFileSync(join(place.root, 'runs'), 'utf8').trim().split('\n').length;
type Waiting = Line & {
  type: 'waiting';
  jobs: { ticket: string; cause: { code: string; files?: string[] } }[];
};
const waits = (running: Running, code: string, files?: string[]): Promise<Line> =>
  running.line((line) => {
    if (line.type !== 'waiting') return false;
    const [job] = (line as Waiting).jobs;
    return job?.cause.code === code && (!files || String(job.cause.files) === String(files));
  });
/** The same run went on with the work that it had. */
const expectMerged = async (running: Running): Promise<void> => {
  const { exit, summary, stderr } = await running.finished;
  expect(stderr).toBe('');
  expect(summary.A).toMatchObject({ state: 'merged', attempts: 2, cause: null });
  expect(exit).toBe(0);
  expect(agentRuns()).toBe(1);
  expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nA\n');
  expect(place.git(repo, 'status', '--porcelain')).toBe('');
};

describe('a run stays for what can go on by itself, and lands it', () => {
  it('when a person commits; what it waits for is true meanwhile', async () => {
    writeFileSync(join(repo, 'src/b.ts'), 'unsaved\n');
    const running = start();
    await waits(running, 'uncommitted-work', ['src/b.ts']);
    writeFileSync(join(repo, 'README.md'), 'unsaved, too\n');
    await waits(running, 'uncommitted-work', ['README.md', 'src/b.ts']);
    const why = (await place.run('why', 'A')).lines.find((line) => line.type === 'why') as unknown as JobLine;
    expect(why.reason).toContain('README.md');
    place.git(repo, 'commit', '-qam', 'person');
    await expectMerged(running);
    expect(place.git(repo, 'show', 'main:README.md')).toBe('unsaved, too');
  });

  it("when a person's file is out of the way", async () => {
    writeFileSync(join(repo, 'src/new.ts'), 'mine\n');
    const running = start([append('src/a.ts', 'A\n'), { write: { path: 'src/new.ts', content: 'new\n' } }]);
    await waits(running, 'uncommitted-work', ['src/new.ts']);
    rmSync(join(repo, 'src/new.ts'));
    await expectMerged(running);
    expect(readFileSync(join(repo, 'src/new.ts'), 'utf8')).toBe('new\n');
  });

  it("when another git's lock is gone", async () => {
    const lock = join(repo, '.git/index.lock');
    writeFileSync(lock, '');
    const running = start();
    await waits(running, 'uncommitted-work');
    rmSync(lock);
    await expectMerged(running);
  });

  it('when the hook that refused is another one', async () => {
    const hook = join(repo, '.git/hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "freeze until Monday" >&2; exit 1\n');
    chmodSync(hook, 0o755);
    const running = start();
    await waits(running, 'merge-refused');
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    await expectMerged(running);
  });

  it('when the base is there again', async () => {
    const tip = place.git(repo, 'rev-parse', 'main');
    const running = start([
      { run: `git -C ${repo} checkout -q -b other && git -C ${repo} branch -q -D main` },
      append('src/a.ts', 'A\n'),
    ]);
    await waits(running, 'base-missing');
    place.git(repo, 'branch', 'main', tip);
    place.git(repo, 'checkout', '-q', 'main');
    await expectMerged(running);
  });

  it('and for a job that another one waits for, which then runs', async () => {
    writeFileSync(join(repo, 'src/b.ts'), 'unsaved\n');
    const tickets = place.tickets('two', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [append('src/a.ts', 'A\n')]),
      B: scripted({ id: 'B', paths: ['README.md'], dependsOn: ['A'] }, [append('README.md', 'B\n')]),
    });
    const running = place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
    await waits(running, 'uncommitted-work');
    place.git(repo, 'checkout', '-q', '--', 'src/b.ts');
    const { exit, summary } = await running.finished;
    expect([summary.A?.state, summary.B?.state]).toEqual(['merged', 'merged']);
    expect(exit).toBe(0);
  });
});

it('lands a held job while the run has other work to do', async () => {
  writeFileSync(join(repo, 'src/b.ts'), 'unsaved\n');
  const go = join(place.root, 'go');
  const tickets = place.tickets('two', {
    A: scripted({ id: 'A', paths: ['src/a.ts'] }, [append('src/a.ts', 'A\n')]),
    B: scripted({ id: 'B', paths: ['README.md'] }, [
      { run: `until [ -e ${go} ]; do sleep 0.05; done` },
      append('README.md', 'B\n'),
    ]),
  });
  const running = place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE, '--no-wait');
  const says = (ticket: string, state: string) =>
    running.line((line) => line.type === 'job' && line.ticket === ticket && line.state === state);
  await says('A', 'held');
  place.git(repo, 'commit', '-qam', 'person');
  await says('A', 'merged');
  writeFileSync(go, '');
  expect((await running.finished).exit).toBe(0);
});

it('ends with --no-wait; `serve` then goes on with the job by itself', async () => {
  writeFileSync(join(repo, 'src/b.ts'), 'unsaved\n');
  const ended = await start([append('src/a.ts', 'A\n')], '--no-wait').finished;
  expect(ended.exit).toBe(1);
  expect(ended.summary.A).toMatchObject({ state: 'held', cause: { code: 'uncommitted-work' } });
  const host = await place.serve();
  place.git(repo, 'commit', '-qam', 'person');
  while (!readFileSync(join(repo, 'src/a.ts'), 'utf8').includes('A')) await delay(20);
  const states = async () => {
    const { jobs } = (await (await host.ask('app.snapshot')).json()) as { jobs: { state: string }[] };
    return jobs.map(({ state }) => state);
  };
  while ((await states())[0] !== 'merged') await delay(20);
  await host.stop();
  expect(agentRuns()).toBe(1);
});

it('leaves with a signal while it waits, and keeps the work', async () => {
  writeFileSync(join(repo, 'src/b.ts'), 'unsaved\n');
  const running = start();
  await waits(running, 'uncommitted-work');
  running.child.kill('SIGTERM');
  expect((await running.finished).exit).toBe(130);
  place.git(repo, 'commit', '-qam', 'person');
  expect((await start().finished).summary.A).toMatchObject({ state: 'merged' });
  expect(agentRuns()).toBe(1);
  expect(existsSync(join(repo, '.git/index.lock'))).toBe(false);
});
