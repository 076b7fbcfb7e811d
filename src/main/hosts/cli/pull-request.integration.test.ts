import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processStarted } from '../../processes/process-table.ts';
import { FakeForge } from './testing/fake-forge.ts';
import { type JobLine, type Line, Place, scripted } from './testing/headway.ts';

let place: Place;
let repo: string;
let before: string;
beforeEach(() => {
  place = new Place();
  repo = place.repository('repo', {
    'src/a.ts': 'a\n',
    'check.mjs':
      "import { readFileSync } from 'node:fs';\nif (!readFileSync('src/a.ts', 'utf8').startsWith('a')) process.exit(1);\nconsole.log('src/a.ts holds');\n",
    'headway.yaml': [
      'gate: [node check.mjs]',
      'merge: { style: pull-request }',
      'commits: { author: agent, trailers: [ticket] }',
    ].join('\n'),
  });
  before = place.git(repo, 'rev-parse', 'main');
});
afterEach(async () => {
  await place.close();
});

const tickets = () =>
  place.tickets('tickets', {
    A: scripted({ id: 'A', title: 'A: do it', paths: ['src/a.ts'] }, [
      { append: { path: 'src/a.ts', content: 'A\n' } },
      { run: `echo ran >> ${place.root}/runs` },
    ]),
  });
const args = () => ['run', '--repo', repo, '--tickets', tickets()];
const run = () => place.run(...args());
const runs = () => readFileSync(join(place.root, 'runs'), 'utf8').trim().split('\n').length;
const lives = async (pid: number): Promise<boolean> => (await processStarted(pid)) !== undefined;
const effects = async () => {
  const [line] = (await place.run('outbox')).lines as unknown as [
    { effects: { kind: string; state: string }[] },
  ];
  return line.effects.map(({ kind, state }) => `${kind} ${state}`);
};

describe('merge.style: pull-request', () => {
  it('opens one pull request, leaves the base and the clone alone, and is merged when the base has it', async () => {
    const forge = new FakeForge(place, repo);
    const refs = place.git(repo, 'for-each-ref');
    const held = await run();
    expect(held.summary.A).toMatchObject({
      state: 'held',
      verdict: 'green',
      cause: { code: 'awaits-pull-request', url: 'https://forge.test/lib/pull/1', merged: false },
    });
    expect(held.summary.A?.reason).toContain('https://forge.test/lib/pull/1');
    expect(place.git(repo, 'for-each-ref')).toBe(refs);
    const [request] = forge.state.prs;
    const branch = held.summary.A?.branch ?? '';
    expect(request).toMatchObject({ title: 'A: do it', base: 'main', headRefName: branch });
    expect(request?.body).toContain(`Gate green at ${request?.headRefOid}`);
    expect(place.git(forge.origin, 'log', '-1', '--format=%an|%b', branch)).toBe(
      'scripted|Headway-Ticket: A',
    );
    expect(await effects()).toEqual([]);

    expect((await run()).summary.A).toMatchObject({ state: 'held', cause: { merged: false } });
    expect(forge.count('pr create')).toBe(1);
    expect(runs()).toBe(1);

    const other = join(place.root, 'other');
    place.git(place.root, 'clone', '-q', forge.origin, other);
    place.git(
      other,
      '-c',
      'user.name=P',
      '-c',
      'user.email=p@x.invalid',
      'merge',
      '-q',
      '--squash',
      `origin/${branch}`,
    );
    place.git(other, '-c', 'user.name=P', '-c', 'user.email=p@x.invalid', 'commit', '-qm', 'squashed');
    place.git(other, 'push', '-q', 'origin', 'main');
    const oid = place.git(other, 'rev-parse', 'HEAD');
    forge.change({ prs: forge.state.prs.map((one) => ({ ...one, state: 'MERGED', mergeCommit: { oid } })) });
    expect((await run()).summary.A).toMatchObject({ state: 'held', cause: { merged: true } });
    place.git(repo, 'pull', '-q', 'origin', 'main');
    expect((await place.run('jobs', 'release', 'A')).exit).toBe(0);
    const merged = await run();
    expect(merged.summary.A).toMatchObject({ state: 'merged', commit: oid });
    expect(place.git(repo, 'rev-parse', 'main')).toBe(oid);
    expect(runs()).toBe(1);
  });

  it('waits as long as the service asks, and makes one pull request', async () => {
    const forge = new FakeForge(place, repo);
    forge.change({ plan: ['look limit', 'limit'] });
    expect((await run()).summary.A?.cause?.code).toBe('awaits-pull-request');
    expect(forge.state.prs).toHaveLength(1);
    const { calls } = forge.state;
    expect(calls.map(({ args: [, verb] }) => verb)).toEqual([
      'list',
      'list',
      'create',
      'list',
      'create',
      'list',
    ]);
    const gaps = calls.map(({ atMs }, index) => atMs - (calls[index - 1]?.atMs ?? 0));
    expect(gaps[1]).toBeGreaterThanOrEqual(1000);
    expect(gaps[3]).toBeGreaterThanOrEqual(1000);
  });

  it('waits in every process for what the service asked one of them', async () => {
    const forge = new FakeForge(place, repo);
    forge.change({ plan: ['look limit'] });
    const backoff = (line: Line) => line.type === 'job' && (line as JobLine).cause?.code === 'backoff';
    const first = place.start(...args(), '--max', '1');
    await first.line(backoff);
    const other = place.tickets('other', {
      B: scripted({ id: 'B', paths: ['src/b.ts'] }, [{ write: { path: 'src/b.ts', content: 'B\n' } }]),
    });
    const second = place.start('run', '--repo', repo, '--tickets', other, '--max', '2');
    const [one, two] = await Promise.all([first.finished, second.finished]);
    expect([one.summary.A?.cause?.code, two.summary.B?.cause?.code]).toEqual([
      'awaits-pull-request',
      'awaits-pull-request',
    ]);
    const [limited, ...later] = forge.state.calls;
    expect(Math.min(...later.map(({ atMs }) => atMs)) - (limited?.atMs ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(new Set(forge.state.calls.map(({ askedBy }) => askedBy)).size).toBe(2);
  });

  it.runIf(process.platform === 'linux')(
    'ends a gh that hangs on after the run that had started it was killed',
    async () => {
      const forge = new FakeForge(place, repo);
      const killedIn = async (...command: string[]): Promise<number> => {
        const before = forge.state.calls.length;
        const running = place.start(...command);
        while (forge.state.plan.length > 0 || forge.state.calls.length === before) await delay(20);
        running.child.kill('SIGKILL');
        await running.finished;
        return forge.state.calls.at(-1)?.pid ?? 0;
      };
      forge.change({ plan: ['stay'] });
      const inAttempt = await killedIn(...args());
      expect(await lives(inAttempt)).toBe(true);
      await place.run('jobs', 'hold', 'A');
      expect(await lives(inAttempt)).toBe(false);

      forge.change({ plan: ['look stay'] });
      const inSettling = await killedIn('outbox', '--settle');
      expect(await lives(inSettling)).toBe(true);
      expect(await effects()).toEqual(['pull-request orphaned']);
      expect(await lives(inSettling)).toBe(false);

      await place.run('jobs', 'release', 'A');
      expect((await run()).summary.A).toMatchObject({ cause: { code: 'awaits-pull-request' } });
      expect([forge.count('pr create'), forge.state.prs.length, runs()]).toEqual([1, 1, 1]);
    },
  );

  it('finds what a gh that died in the middle had made', async () => {
    const forge = new FakeForge(place, repo);
    forge.change({ plan: ['die'] });
    expect((await run()).summary.A).toMatchObject({ cause: { code: 'awaits-pull-request' } });
    expect([forge.count('pr create'), forge.state.prs.length]).toEqual([1, 1]);
    expect(await effects()).toEqual([]);
  });

  /** A run that was killed when the pull request was there and `gh` had not answered yet. */
  const killedWhileOpening = async (): Promise<FakeForge> => {
    const forge = new FakeForge(place, repo);
    forge.change({ plan: ['hang'] });
    const running = place.start(...args());
    while (forge.state.prs.length === 0) await delay(20);
    running.child.kill('SIGKILL');
    await running.finished;
    return forge;
  };

  it('shows what a killed run had begun as orphaned, finds it, and does not repeat it', async () => {
    const forge = await killedWhileOpening();
    expect(await effects()).toEqual(['pull-request orphaned']);
    expect((await run()).summary.A).toMatchObject({ state: 'held', cause: { code: 'awaits-pull-request' } });
    expect([forge.count('pr create'), forge.state.prs.length, runs()]).toEqual([1, 1, 1]);
    expect(await effects()).toEqual([]);
  });

  it('tells a person when their pull request was closed, and comments on the open one after new work', async () => {
    const forge = new FakeForge(place, repo);
    expect((await run()).summary.A?.state).toBe('held');
    expect((await place.run('jobs', 'reopen', 'A')).exit).toBe(0);
    expect((await run()).summary.A?.cause?.code).toBe('awaits-pull-request');
    expect([forge.state.prs.length, runs()]).toEqual([1, 2]);
    expect(forge.state.prs[0]?.comments.map(({ body }) => body.split('.')[0])).toEqual(['Worked on again']);
    forge.change({ prs: forge.state.prs.map((one) => ({ ...one, state: 'CLOSED' })) });
    const closed = await run();
    expect(closed.summary.A).toMatchObject({ state: 'held', cause: { code: 'merge-refused' } });
    expect(closed.summary.A?.reason).toContain('closed without a merge');
  });

  it("does not move a branch on the remote that holds somebody else's commit", async () => {
    const forge = new FakeForge(place, repo);
    forge.change({ plan: [] });
    expect((await run()).summary.A?.state).toBe('held');
    const branch = forge.state.prs[0]?.headRefName ?? '';
    const foreign = place.git(forge.origin, 'commit-tree', `${before}^{tree}`, '-p', before, '-m', 'theirs');
    place.git(forge.origin, 'update-ref', `refs/heads/${branch}`, foreign);
    await place.run('jobs', 'reopen', 'A');
    const held = await run();
    expect(held.summary.A).toMatchObject({ state: 'held', cause: { code: 'merge-refused' } });
    expect(held.summary.A?.reason).toContain("a commit that is not Headway's");
    expect(place.git(forge.origin, 'rev-parse', branch)).toBe(foreign);
  });

  it('settles on request what a killed run had begun, for a job that will not go on', async () => {
    const forge = await killedWhileOpening();
    await place.run('jobs', 'cancel', 'A');
    expect(await effects()).toEqual(['pull-request orphaned']);
    const settled = await place.run('outbox', '--settle');
    expect(settled.lines).toMatchObject([
      { type: 'settled', kind: 'pull-request', outcome: 'done' },
      { type: 'outbox', outbox: [] },
    ]);
    expect(forge.count('pr create')).toBe(1);
  });

  it('holds the job and says what is missing where there is no such remote', async () => {
    const held = await run();
    expect(held.summary.A).toMatchObject({ state: 'held', cause: { code: 'merge-refused' } });
    expect(held.summary.A?.reason).toContain('has no remote origin');
    expect(place.git(repo, 'rev-parse', 'main')).toBe(before);
  });
});
