import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveHome } from '../../settings/home.ts';
import { type EngineProcess, startEngineProcess } from '../../testing/start-engine-process.ts';
import { FakeForge } from './testing/fake-forge.ts';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
let repo: string;
let forge: FakeForge;
let host: EngineProcess;
beforeEach(async () => {
  place = new Place();
  repo = place.repository('repo', { 'a.txt': 'a\n', 'headway.yaml': 'merge: { style: pull-request }\n' });
  forge = new FakeForge(place, repo);
  host = startEngineProcess({
    home: resolveHome({ HEADWAY_HOME: place.home }),
    repo,
    tickets: place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['a.txt'] }, [{ append: { path: 'a.txt', content: 'A\n' } }]),
    }),
    gate: 'test -e a.txt && echo there',
    pullRequestLooks: { firstMs: 50, longestMs: 400 },
    stays: true,
    env: place.env,
  });
  await host.said({ type: 'job', state: 'held', cause: 'awaits-pull-request' });
});
afterEach(async () => {
  host.child.kill('SIGTERM');
  expect(await host.ended).toEqual({ exit: 0, stderr: '' });
  await place.close();
});

const change = (fields: object) =>
  forge.change({ prs: forge.state.prs.map((request) => ({ ...request, ...fields })) });
/** Settles when gh was asked once more after this. */
async function askedAgain(): Promise<void> {
  const before = forge.count('pr list');
  while (forge.count('pr list') === before) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a host that stays', () => {
  it('merges the job once its pull request, squashed by a person, is on the base', async () => {
    const [request] = forge.state.prs;
    const other = join(place.root, 'other');
    place.git(place.root, 'clone', '-q', forge.origin, other);
    const person = ['-c', 'user.name=P', '-c', 'user.email=p@x.invalid'];
    place.git(other, ...person, 'merge', '-q', '--squash', `origin/${request?.headRefName}`);
    place.git(other, ...person, 'commit', '-qm', 'squashed');
    place.git(other, 'push', '-q', 'origin', 'main');
    const oid = place.git(other, 'rev-parse', 'HEAD');
    await askedAgain();
    change({ state: 'MERGED', mergeCommit: { oid } });
    await host.said({ type: 'job', state: 'held', cause: 'awaits-pull-request', attempts: 2 });
    place.git(repo, 'pull', '-q', 'origin', 'main');
    await host.said({ type: 'job', state: 'merged', attempts: 3 });
    expect(place.git(repo, 'rev-parse', 'main')).toBe(oid);
    expect(forge.count('pr create')).toBe(1);
  });

  it('tells the person when it was closed', async () => {
    change({ state: 'CLOSED' });
    await host.said({ type: 'job', state: 'held', cause: 'merge-refused' });
  });
});
