import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Line, Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const policy = (more: string, log: string) =>
  `${more}gate:\n  - name: check\n    run: "echo run >> ${log}; test ! -e BROKEN && echo fine"\n`;
const lines = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0);

function setUp(more: string, broken: boolean) {
  const log = join(place.root, 'gate-runs');
  const agents = join(place.root, 'agent-runs');
  const repo = place.repository('repo', {
    'README.md': 'x\n',
    'headway.yaml': policy(more, log),
    ...(broken ? { BROKEN: '' } : {}),
  });
  const ids = ['A', 'B', 'C'];
  const tickets = place.tickets(
    'tickets',
    Object.fromEntries(
      ids.map((id) => [
        id,
        scripted({ id, paths: [`src/${id}.ts`] }, [
          { write: { path: `src/${id}.ts`, content: `${id}\n` } },
          { run: `echo run >> ${agents}` },
        ]),
      ]),
    ),
  );
  return {
    repo,
    args: ['run', '--repo', repo, '--tickets', tickets],
    gates: () => lines(log),
    agents: () => lines(agents),
  };
}

const MUST = 'baseMustBeGreen: true\n';

describe.runIf(process.platform !== 'win32')('a base that must be green', () => {
  it('is judged once for all jobs; red, it starts no agent, says which step, and goes on when it is mended', async () => {
    const { repo, args, gates, agents } = setUp(MUST, true);
    const running = place.start(...args);
    const waiting = (line: Line) =>
      line.type === 'waiting' && (line as unknown as { jobs: unknown[] }).jobs.length === 3;
    const said = JSON.stringify(await running.line(waiting));
    expect(said).toContain('"code":"base-red"');
    expect(said).toContain('step check');
    expect([gates(), agents()]).toEqual([1, 0]);
    expect(JSON.stringify((await place.run('why', 'A')).lines)).toContain('base is red: main');
    place.git(repo, 'rm', '-q', 'BROKEN');
    place.git(repo, 'commit', '-qm', 'mended');
    const { exit, summary } = await running.finished;
    expect(Object.values(summary).map(({ state }) => state)).toEqual(['merged', 'merged', 'merged']);
    expect(exit).toBe(0);
    expect(agents()).toBe(3);
  });

  it('lets a person start a job on a red one', async () => {
    const { args, agents } = setUp(MUST, true);
    await place.run(...args, '--no-wait');
    expect(agents()).toBe(0);
    expect((await place.run('jobs', 'release', 'A')).exit).toBe(0);
    expect((await place.run(...args, '--no-wait')).summary.A).toMatchObject({
      state: 'failed',
      cause: { code: 'gate-red' },
    });
    expect(agents()).toBe(1);
  });

  it('is not asked for where the policy forbids it', async () => {
    const { args, agents } = setUp('baseMustBeGreen: false\n', true);
    expect((await place.run(...args, '--no-wait')).summary.A?.cause).toMatchObject({ code: 'gate-red' });
    expect(agents()).toBe(3);
  });
});

describe.runIf(process.platform !== 'win32')('a base of which the policy says nothing', () => {
  it('is judged once a job is red; then no agent starts, and what was made lands when the base is mended', async () => {
    const { repo, args, gates, agents } = setUp('', true);
    const running = place.start(...args, '--max', '1');
    const said = JSON.stringify(
      await running.line(
        (line) => line.type === 'waiting' && (line as unknown as { jobs: unknown[] }).jobs.length === 3,
      ),
    );
    expect(said).toContain('"code":"base-red"');
    // The gate of the first job, and that of the base.
    expect([gates(), agents()]).toEqual([2, 1]);
    place.git(repo, 'rm', '-q', 'BROKEN');
    place.git(repo, 'commit', '-qm', 'mended');
    const { summary } = await running.finished;
    expect(Object.values(summary).map(({ state }) => state)).toEqual(['merged', 'merged', 'merged']);
    expect(agents()).toBe(3);
  });

  it('is not judged at all where what stands there has landed as it was judged', async () => {
    const { args, gates } = setUp('', false);
    expect((await place.run(...args)).summary.A?.state).toBe('merged');
    const before = gates();
    const breaks = place.tickets('breaks', {
      X: scripted({ id: 'X', paths: ['BROKEN'] }, [{ write: { path: 'BROKEN', content: 'x' } }]),
    });
    const { summary } = await place.run('run', '--repo', args[2] as string, '--tickets', breaks, '--no-wait');
    expect(summary.X).toMatchObject({ state: 'failed', cause: { code: 'gate-red' } });
    expect(gates() - before).toBe(1);
  });
});
