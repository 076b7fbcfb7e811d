import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeptWork } from '../../../shared/contract.ts';
import { Place, PROGRAM, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const GATE = "node -e \"process.exit(require('fs').existsSync('BROKEN') ? 1 : 0)\"";
const write = (path: string) => ({ write: { path, content: `${path}\n` } });

async function kept(...args: string[]): Promise<KeptWork[]> {
  const [line] = (await place.run('saved', ...args)).lines as unknown as [{ kept: KeptWork[] }];
  return line.kept;
}

it('what attempts made is listed, recovered as a branch and let go', async () => {
  const repo = place.repository('repo', { 'README.md': 'x\n' });
  const tickets = place.tickets('tickets', {
    GOOD: scripted({ id: 'GOOD', paths: ['good.txt'] }, [write('good.txt')]),
    RED: scripted({ id: 'RED', paths: ['BROKEN', 'red.txt'] }, [write('BROKEN'), write('red.txt')]),
    // Nothing of it was committed when the agent failed.
    DEAD: '---\nid: DEAD\npaths: [dead.txt]\nagent: "command: echo half > dead.txt; exit 3"\n---\nFails half-way.',
  });
  expect(await kept()).toEqual([]);
  await place.run('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
  const refsBefore = place.git(repo, 'for-each-ref');
  const found = await kept('--repo', repo);
  expect(found.map(({ ticketId }) => ticketId).sort()).toEqual(expect.arrayContaining(['DEAD', 'RED']));
  expect(found.every(({ landed }) => !landed)).toBe(true);
  expect(found.find(({ ticketId }) => ticketId === 'RED')).toMatchObject({
    state: 'failed',
    files: ['BROKEN', 'red.txt'],
    fileCount: 2,
  });
  expect((await kept('--all')).find(({ ticketId }) => ticketId === 'GOOD')).toMatchObject({ landed: true });

  const made = await place.run('saved', 'recover', 'RED', '--branch', 'again/red');
  expect(made.exit).toBe(0);
  expect(place.git(repo, 'show', 'again/red:red.txt')).toBe('red.txt');
  const half = await place.run('saved', 'recover', 'DEAD', '--branch', 'half');
  expect(half.exit).toBe(0);
  expect(place.git(repo, 'show', 'half:dead.txt')).toBe('half');
  expect(place.git(repo, 'status', '--porcelain')).toBe('');

  const head = place.git(repo, 'rev-parse', 'main');
  for (const branch of [
    'main',
    'half',
    'half/below',
    '-x',
    'a..b',
    'refs/heads/main',
    'refs/heads/new',
    '$(id)',
  ]) {
    expect((await place.run('saved', 'recover', 'RED', `--branch=${branch}`)).exit).toBe(2);
  }
  expect(place.git(repo, 'rev-parse', 'main')).toBe(head);
  const branches = place.git(repo, 'for-each-ref', '--format=%(refname)').split('\n');
  expect(branches).toEqual(['refs/heads/again/red', 'refs/heads/half', 'refs/heads/main']);
  expect(refsBefore).toContain('refs/heads/main');

  const { ref } = found.find(({ ticketId }) => ticketId === 'DEAD') as KeptWork;
  expect((await place.run('saved', 'drop', ref)).exit).toBe(0);
  expect((await kept()).map((each) => each.ref)).not.toContain(ref);
  expect((await place.run('saved', 'drop', ref)).exit).toBe(2);
  // A job that may go on with its work keeps it.
  await place.run('jobs', 'reopen', 'RED');
  expect(await place.run('saved', 'drop', 'RED')).toMatchObject({ exit: 1, error: { code: 'not-allowed' } });
});

it('is also listed by the old name of the command, which says what it is called now', async () => {
  const { lines } = await place.run('kept');
  expect(lines).toMatchObject([{ type: 'saved', saved: [], kept: [] }]);
  const said = spawnSync(process.execPath, [PROGRAM, 'kept'], {
    env: { ...process.env, HEADWAY_HOME: place.home, NODE_OPTIONS: '' },
    encoding: 'utf8',
  });
  expect(said.status).toBe(0);
  expect(said.stderr).toBe(
    'headway: `headway kept` is `headway saved` now; the old name goes with the next version.\n',
  );
});
