import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Finished, Place, scripted } from './testing/headway.ts';
import { landedUngated, recordingGate } from './testing/recording-gate.ts';

let place: Place;
let gate: ReturnType<typeof recordingGate>;
beforeEach(() => {
  place = new Place();
  gate = recordingGate(place);
});
afterEach(async () => {
  await place.close();
});

const FILES = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'README.md': 'readme\n' };
const append = (path: string, content: string) => ({ append: { path, content } });
const one = (steps: readonly unknown[], paths = ['src/a.ts']) =>
  place.tickets('tickets', { A: scripted({ id: 'A', paths }, steps) });
const args = (repo: string, tickets: string, ...more: string[]) => [
  'run',
  '--repo',
  repo,
  '--tickets',
  tickets,
  '--gate',
  gate.command,
  '--no-wait',
  ...more,
];
/** An agent's step that says that it is there and goes on when the test says so. */
const untilTold = (name: string) => ({
  run: `touch ${place.root}/${name}.there; while [ ! -e ${place.root}/${name}.go ]; do sleep 0.05; done`,
});
const hook = (repo: string, name: string, body: string): void => {
  const file = join(repo, '.git/hooks', name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
};
const agentRuns = { run: '' };
const ran = () => readFileSync(join(place.root, 'runs'), 'utf8').trim().split('\n').length;
beforeEach(() => {
  agentRuns.run = `echo ran >> ${place.root}/runs`;
});

/** As a person does: again where git says that somebody else holds the index. */
async function personCommits(repo: string, name: string): Promise<void> {
  writeFileSync(join(repo, name), `${name}\n`);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      execFileSync('git', ['-C', repo, 'add', name], { stdio: 'pipe' });
      execFileSync('git', ['-C', repo, 'commit', '-q', '-m', `person ${name}`], { stdio: 'pipe' });
      return;
    } catch (thrown) {
      if (!/lock/.test(String((thrown as { stderr?: Buffer }).stderr))) throw thrown;
      await delay(20);
    }
  }
  throw new Error('the person could not commit');
}

describe('eight jobs that finish at once', () => {
  it('all land, each as it was verified, while a person commits to the base', async () => {
    const repo = place.repository('repo', FILES);
    const from = place.git(repo, 'rev-parse', 'main');
    const ids = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    const all = ids.map((id) => `[ -e ${place.root}/${id}.at ]`).join(' && ');
    const tickets = place.tickets(
      'tickets',
      Object.fromEntries(
        ids.map((id) => [
          id,
          scripted({ id, paths: [`src/${id}.ts`] }, [
            { write: { path: `src/${id}.ts`, content: `${id}\n` } },
            { run: `touch ${place.root}/${id}.at; until ${all}; do sleep 0.05; done` },
          ]),
        ]),
      ),
    );
    const running = place.start(...args(repo, tickets, '--max', '8'));
    await running.line((line) => line.type === 'job' && line.stage === 'merge');
    for (const count of [1, 2, 3]) {
      await personCommits(repo, `person-${count}.txt`);
      const merged = new Set<unknown>();
      await running.line((line) => {
        if (line.type === 'job' && line.state === 'merged') merged.add(line.ticket);
        return merged.size >= count;
      });
    }
    const result = await running.finished;
    expect(result.stderr).toBe('');
    expect(Object.values(result.summary).map((job) => [job.ticket, job.state])).toEqual(
      ids.map((id) => [id, 'merged']),
    );
    expect(landedUngated(place, repo, from, gate.seen())).toEqual([]);
    for (const id of ids) expect(readFileSync(join(repo, `src/${id}.ts`), 'utf8')).toBe(`${id}\n`);
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
    const subjects = place.git(repo, 'log', '--format=%s', 'main').split('\n');
    expect(subjects.filter((text) => text.startsWith('person'))).toHaveLength(3);
    // Once each: a merge onto a moved base carries the trailer too, so work commits alone are counted.
    const works = place.git(
      repo,
      'log',
      '--no-merges',
      '--format=%(trailers:key=Headway-Ticket,valueonly)',
      'main',
    );
    expect(
      works
        .split('\n')
        .filter((text) => text !== '')
        .toSorted(),
    ).toEqual(ids);
  });
});

describe('a repository that refuses', () => {
  const refusals: [string, string][] = [
    ['pre-receive', 'echo "freeze until Monday" >&2; exit 1'],
    ['update', 'echo "freeze until Monday" >&2; exit 1'],
    [
      'reference-transaction',
      '[ "$1" = prepared ] || exit 0\ngrep -q refs/heads/main || exit 0\necho "freeze until Monday" >&2; exit 1',
    ],
  ];
  it.each(refusals)(
    "by its %s hook holds the job with the hook's words, and lands it when released",
    async (name, body) => {
      const repo = place.repository('repo', FILES);
      const before = place.git(repo, 'rev-parse', 'main');
      hook(repo, name, body);
      const tickets = one([append('src/a.ts', 'A\n'), agentRuns]);
      const held = await place.run(...args(repo, tickets));
      expect(held.exit).toBe(1);
      expect(held.summary.A).toMatchObject({ state: 'held', cause: { code: 'merge-refused' } });
      expect(held.summary.A?.reason).toContain('freeze until Monday');
      expect(place.git(repo, 'rev-parse', 'main')).toBe(before);
      expect(place.git(repo, 'status', '--porcelain')).toBe('');
      expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\n');
      rmSync(join(repo, '.git/hooks', name));
      expect((await place.run('jobs', 'release', 'A')).exit).toBe(0);
      const landed = await place.run(...args(repo, tickets));
      expect(landed.summary.A).toMatchObject({ state: 'merged', attempts: 2 });
      expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nA\n');
      expect(landedUngated(place, repo, before, gate.seen())).toEqual([]);
      expect(ran()).toBe(1);
    },
  );

  it('by a branch protected with a hook that looks at who pushes what names the branch', async () => {
    const repo = place.repository('repo', FILES);
    hook(
      repo,
      'update',
      'case "$1" in refs/heads/main) echo "main is protected: open a pull request" >&2; exit 1;; esac',
    );
    const held = await place.run(...args(repo, one([append('src/a.ts', 'A\n')])));
    expect(held.summary.A?.reason).toContain('main is protected: open a pull request');
  });
});

describe('settings of the repository', () => {
  it('do not get in the way: commits are to be signed, and no branch may be rewound or deleted', async () => {
    const repo = place.repository('repo', FILES);
    const from = place.git(repo, 'rev-parse', 'main');
    for (const [key, value] of [
      ['commit.gpgsign', 'true'],
      ['user.signingkey', 'nobody'],
      ['gpg.program', 'false'],
      ['push.gpgSign', 'true'],
      ['receive.denyNonFastForwards', 'true'],
      ['receive.denyDeletes', 'true'],
      ['receive.denyCurrentBranch', 'refuse'],
      ['merge.ff', 'only'],
    ] as const) {
      place.git(repo, 'config', key, value);
    }
    const running = place.start(...args(repo, one([untilTold('A'), append('src/a.ts', 'A\n')])));
    await there('A');
    place.git(repo, '-c', 'commit.gpgsign=false', 'commit', '-q', '--allow-empty', '-m', 'person');
    go('A');
    const result = await running.finished;
    expect(result.summary.A).toMatchObject({ state: 'merged' });
    expect(landedUngated(place, repo, from, gate.seen())).toEqual([]);
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
  });
});

const go = (name: string): void => writeFileSync(join(place.root, `${name}.go`), '');
async function there(name: string): Promise<void> {
  while (!existsSync(join(place.root, `${name}.there`))) await delay(20);
}

describe('a base that somebody changes while the job runs', () => {
  const during = async (repo: string, change: () => void): Promise<Finished> => {
    const running = place.start(...args(repo, one([untilTold('A'), append('src/a.ts', 'A\n')])));
    await there('A');
    change();
    go('A');
    return running.finished;
  };

  it('by moving it back: what was taken away does not come back with the work', async () => {
    const repo = place.repository('repo', FILES);
    writeFileSync(join(repo, 'secret.txt'), 'taken back\n');
    place.git(repo, 'add', '-A');
    place.git(repo, 'commit', '-q', '-m', 'a mistake');
    const older = place.git(repo, 'rev-parse', 'main~1');
    const result = await during(repo, () => void place.git(repo, 'reset', '-q', '--hard', older));
    expect(result.summary.A?.state).toBe('merged');
    expect(existsSync(join(repo, 'secret.txt'))).toBe(false);
    expect(place.git(repo, 'log', '--format=%s', 'main')).not.toContain('a mistake');
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nA\n');
    expect(landedUngated(place, repo, older, gate.seen())).toEqual([]);
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('by writing its history anew: the work lands on the new one alone', async () => {
    const repo = place.repository('repo', FILES);
    writeFileSync(join(repo, 'secret.txt'), 'taken back\n');
    place.git(repo, 'add', '-A');
    place.git(repo, 'commit', '-q', '-m', 'a mistake');
    const result = await during(repo, () => {
      place.git(repo, 'rm', '-q', 'secret.txt');
      place.git(repo, 'commit', '-q', '--amend', '--allow-empty', '-m', 'amended');
    });
    expect(result.summary.A?.state).toBe('merged');
    expect(place.git(repo, 'log', '--format=%s', 'main')).not.toContain('a mistake');
    expect(existsSync(join(repo, 'secret.txt'))).toBe(false);
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nA\n');
  });

  it('by deleting it: the job is held and says so, nothing else changes', async () => {
    const repo = place.repository('repo', FILES);
    const result = await during(repo, () => {
      place.git(repo, 'checkout', '-q', '-b', 'other');
      place.git(repo, 'branch', '-q', '-D', 'main');
    });
    expect(result.summary.A).toMatchObject({
      state: 'held',
      cause: { code: 'base-missing', base: 'main' },
    });
    expect(place.git(repo, 'branch', '--format=%(refname:short)')).toBe('other');
  });
});
