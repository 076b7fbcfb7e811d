import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../shared/domain.ts';
import { type Submitted, submitTickets } from '../jobs/submission/submission.ts';
import { resolveHome } from '../settings/home.ts';
import { Scratch } from '../testing/scratch.ts';
import { type Engine, openEngine } from './engine.ts';

let scratch: Scratch;
let engines: Engine[];
beforeEach(async () => {
  scratch = new Scratch('headway-submission');
  const home = resolveHome({ HEADWAY_HOME: scratch.home });
  // They only look, so that nothing of it is run.
  engines = await Promise.all([1, 2].map(() => openEngine({ home, watchOnly: true })));
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  scratch.remove();
});

const ticket = (id: string, text: string) => ({
  name: `${id}.md`,
  bytes: `---\nid: ${id}\npaths: [a.txt]\n---\n${text}\n`,
});

/** Submits to one of the processes. */
async function submit(to: number, path: string, ...files: ReturnType<typeof ticket>[]): Promise<Job[]> {
  return (await submitWith('scripted', path, files, to)).jobs;
}

async function submitWith(
  agent: string,
  path: string,
  files: ReturnType<typeof ticket>[],
  to = 0,
): Promise<Submitted> {
  const { repositories, submissionPorts } = (engines[to] as Engine).parts;
  const repository = await repositories.add(path);
  return submitTickets({ repository, files, agent, batchId: 'b' }, submissionPorts);
}

const STEP = (content: string) =>
  `Do it.\n\n\`\`\`headway\n- append: { path: a.txt, content: ${content} }\n\`\`\``;
const states = async () => (await engines[0]?.parts.store.jobs.changedSince(0))?.map(({ state }) => state);

it('is one open job for a ticket, whichever processes get which of its contents at once', async () => {
  const path = scratch.repository('repo', { 'a.txt': 'a\n' });
  const same = await Promise.all([0, 1, 0].map((to) => submit(to, path, ticket('T', STEP('one')))));
  expect(new Set(same.flat().map(({ id }) => id)).size).toBe(1);
  expect(await states()).toEqual(['queued']);
  await Promise.all([0, 1].map((to) => submit(to, path, ticket('T', STEP(`other-${to}`)))));
  expect((await states())?.toSorted()).toEqual(['cancelled', 'cancelled', 'queued']);
});

it('of what had given way brings that back, and what had replaced it gives way', async () => {
  const path = scratch.repository('repo', { 'a.txt': 'a\n' });
  const [first] = await submit(0, path, ticket('T', STEP('one')));
  const [second] = await submit(1, path, ticket('T', STEP('two')));
  const [again] = await submit(0, path, ticket('T', STEP('one')));
  expect([again?.id, again?.state]).toEqual([first?.id, 'queued']);
  expect((await engines[0]?.parts.store.jobs.get(second?.id ?? ''))?.state).toBe('cancelled');
});

it('that the queue has no room for leaves what it would have replaced in its place', async () => {
  const path = scratch.repository('repo', { 'a.txt': 'a\n' });
  await submit(0, path, ticket('T', STEP('one')));
  await engines[1]?.parts.settings.set({ maxQueued: 1 });
  await engines[0]?.parts.settings.refresh();
  const [changed, more] = [ticket('T', STEP('two')), ticket('U', STEP('u'))];
  await expect(submit(0, path, changed, more)).rejects.toMatchObject({ code: 'bad-input' });
  expect(await states()).toEqual(['queued']);
  await submit(0, path, changed);
  expect(await states()).toEqual(['cancelled', 'queued']);
  await expect(submit(0, path, more)).rejects.toMatchObject({
    code: 'busy',
    data: { retryAfterMs: expect.any(Number), queued: 1, limit: 1 },
  });
});

describe('a ticket that comes again with another agent', () => {
  const other = 'command: other {prompt}';
  const files = [ticket('T', STEP('one'))];
  let path: string;
  let job: Job;
  beforeEach(async () => {
    path = scratch.repository('repo', { 'a.txt': 'a\n' });
    [job] = (await submit(0, path, ...files)) as [Job];
  });
  /** The job as its attempts would have left it. */
  const becomes = (change: Partial<Job>) =>
    engines[0]?.parts.store.jobs.transition(job.id, ['queued'], { cause: undefined, ...change });

  it('is the same job, which takes that agent where it has not begun', async () => {
    const { jobs, notes } = await submitWith(other, path, files, 1);
    expect(jobs).toMatchObject([{ id: job.id, agent: other, state: 'queued' }]);
    expect(notes).toEqual([]);
  });

  it.each(['failed', 'cancelled'] as const)('is tried again with it when it had %s', async (state) => {
    await becomes({ state });
    const { jobs, notes } = await submitWith(other, path, files);
    expect(jobs).toMatchObject([{ id: job.id, agent: other, state: 'queued' }]);
    expect(notes).toEqual([]);
  });

  it('stays merged, and says by whom', async () => {
    await becomes({ state: 'merged', commit: scratch.git(path, 'rev-parse', 'main') });
    const { jobs, notes } = await submitWith(other, path, files);
    expect(jobs).toMatchObject([{ id: job.id, agent: 'scripted', state: 'merged' }]);
    expect(notes).toEqual(['T is merged already, by scripted.']);
  });

  it('keeps its agent where it has begun, and says so', async () => {
    const { store, runner } = (engines[0] as Engine).parts;
    await store.jobs.claim(job.id, { runnerId: runner.id, atMs: 1, knownRunning: new Set() });
    const { jobs, notes } = await submitWith(other, path, files);
    expect(jobs).toMatchObject([{ id: job.id, agent: 'scripted', state: 'running' }]);
    expect(notes.join()).toContain('T has begun and keeps the agent scripted');
  });
});

it('that an earlier version took is known by the key that it gave', async () => {
  const path = scratch.repository('repo', { 'a.txt': 'a\n' });
  const [now] = (await submit(0, path, ticket('T', STEP('one')))) as [Job];
  const { store } = (engines[0] as Engine).parts;
  await store.jobs.transition(now.id, ['queued'], { state: 'cancelled' });
  const { order: _order, seq: _seq, ...row } = now;
  const { title, text, dependsOn, related, priority } = now.ticket;
  const content = [title, text, ['a.txt'], dependsOn, related, priority, null];
  const facts = [now.repoId, 'U', content, ['scripted', null, 'main']];
  const key = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  const earlier = { ...row, id: 'j-earlier', ticket: { ...row.ticket, id: 'U' }, state: 'failed' as const };
  await store.jobs.insert([{ ...earlier, key }]);
  const [again] = await submit(0, path, ticket('U', STEP('one')));
  expect(again).toMatchObject({ id: 'j-earlier', state: 'queued' });
});
