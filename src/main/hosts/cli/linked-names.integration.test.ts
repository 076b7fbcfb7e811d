import { linkSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobLine, Place, scripted } from './testing/headway.ts';
import { recordingGate } from './testing/recording-gate.ts';

let place: Place;
let repo: string;
beforeEach(() => {
  place = new Place();
  repo = place.repository('repo', {
    'AGENTS.md': 'agents\n',
    'core/src/a.ts': 'a\n',
    'x.ts': 'x\n',
    'y.ts': 'x\n',
  });
  symlinkSync('AGENTS.md', join(repo, 'CLAUDE.md'));
  symlinkSync('core/src', join(repo, 'src'));
  symlinkSync('not-there', join(repo, 'gone'));
  place.git(repo, 'add', '-A');
  place.git(repo, 'commit', '-q', '-m', 'links');
});
afterEach(async () => {
  await place.close();
});

const append = (path: string, content: string) => ({ append: { path, content } });
/** Ends only when both jobs have come this far: together, or never. */
const meets = (own: string, other: string) => ({
  run: `touch ${place.root}/${own}.there; while [ ! -e ${place.root}/${other}.there ]; do sleep 0.05; done`,
});
const run = (tickets: Record<string, string>) =>
  place.run(
    'run',
    '--repo',
    repo,
    '--tickets',
    place.tickets('tickets', tickets),
    '--gate',
    recordingGate(place).command,
    '--max',
    '2',
  );
const reasons = (jobs: readonly JobLine[], ticket: string): (string | null)[] =>
  jobs.filter((line) => line.ticket === ticket && line.state === 'queued').map((line) => line.reason);

describe('tickets that name one file by two names', () => {
  it('run one after the other, and what was written through a link is in the claim', async () => {
    const { summary, jobs, exit } = await run({
      A: scripted({ id: 'A', paths: ['CLAUDE.md', 'src/a.ts'] }, [
        append('CLAUDE.md', 'A\n'),
        append('src/a.ts', 'A\n'),
      ]),
      B: scripted({ id: 'B', paths: ['AGENTS.md'] }, [append('AGENTS.md', 'B\n')]),
    });
    expect(exit).toBe(0);
    expect(reasons(jobs, 'B')).toContain('behind A: AGENTS.md');
    expect(summary.A).toMatchObject({ attempts: 1, files: ['AGENTS.md', 'core/src/a.ts'], strayed: [] });
    expect(summary.B).toMatchObject({ attempts: 1, strayed: [] });
    expect(readFileSync(join(repo, 'AGENTS.md'), 'utf8')).toBe('agents\nA\nB\n');
    expect(lstatSync(join(repo, 'CLAUDE.md')).isSymbolicLink()).toBe(true);
  });

  it('touch everything by a link that leads nowhere', async () => {
    const { summary, jobs } = await run({
      A: scripted({ id: 'A', paths: ['gone'] }, [append('x.ts', 'A\n')]),
      B: scripted({ id: 'B', paths: ['y.ts'] }, [append('y.ts', 'B\n')]),
    });
    expect(reasons(jobs, 'B').join()).toContain('touches everything');
    expect([summary.A?.state, summary.B?.state]).toEqual(['merged', 'merged']);
  });

  it('run together by hard links: in a slot and after landing each path is a file of its own', async () => {
    rmSync(join(repo, 'y.ts'));
    linkSync(join(repo, 'x.ts'), join(repo, 'y.ts'));
    const { summary, exit } = await run({
      A: scripted({ id: 'A', paths: ['x.ts'] }, [meets('A', 'B'), append('x.ts', 'A\n')]),
      B: scripted({ id: 'B', paths: ['y.ts'] }, [meets('B', 'A'), append('y.ts', 'B\n')]),
    });
    expect(exit).toBe(0);
    expect([summary.A?.files, summary.B?.files]).toEqual([['x.ts'], ['y.ts']]);
    expect([readFileSync(join(repo, 'x.ts'), 'utf8'), readFileSync(join(repo, 'y.ts'), 'utf8')]).toEqual([
      'x\nA\n',
      'x\nB\n',
    ]);
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
  });
});
