import { describe, expect, it } from 'vitest';
import type { Claim } from '../../shared/domain.ts';
import { type Admission, type AdmissionEntry, createAdmission, KEEPS_PLACE_MS } from './admission.ts';
import { AGEING_MS } from './admission-order.ts';
import { toClaim } from './claims.ts';

const everything: Claim = { kind: 'everything', why: 'it names no paths' };
const claim = (...paths: string[]): Claim => toClaim(paths, { root: '/repo', from: 'declared' });

function job(id: string, order: number, over: Partial<AdmissionEntry> = {}): AdmissionEntry {
  return {
    id,
    ticketId: id.toUpperCase(),
    repoId: 'r',
    claim: claim(`src/${id}.ts`),
    priority: 'batch',
    order,
    dependsOn: [],
    related: [],
    state: 'queued',
    queuedAt: 0,
    ...over,
  };
}

function admission(entries: AdmissionEntry[], caps = { machine: 8, repository: 8 }): Admission {
  const made = createAdmission({ caps });
  for (const entry of entries) made.add(entry);
  return made;
}

describe('admission', () => {
  it('holds the jobs of a paused account alone, lets others pass them, and starts them when it ends', () => {
    const made = admission(
      [
        job('a', 1, { account: 'codex', claim: everything }),
        job('b', 2, { account: 'login' }),
        job('c', 3, { claim: claim('docs') }),
        job('d', 4, { account: 'codex', dependsOn: ['c'] }),
      ],
      { machine: 2, repository: 2 },
    );
    const cause = {
      code: 'account-paused',
      account: 'codex',
      label: 'codex',
      untilAt: 9,
      why: 'limit',
    } as const;
    made.setPauses(new Map([['codex', cause]]));
    const decision = made.pass(0);
    expect(decision.start).toEqual(['b', 'c']);
    expect(decision.waiting.get('a')).toBe(cause);
    expect(decision.waiting.get('d')).toMatchObject({ code: 'depends-on' });
    expect(made.end('c', 'merged', 1).waiting.get('d')).toBe(cause);
    made.end('b', 'merged', 2);
    made.setPauses(new Map());
    expect(made.pass(3).start).toEqual(['a']);
  });

  it('starts disjoint jobs together and holds an overlapping one, naming holder and paths', () => {
    const made = admission([
      job('a', 1, { claim: claim('src/ui') }),
      job('b', 2, { claim: claim('src/api/users.ts') }),
      job('c', 3, { claim: claim('docs', 'src/ui/button.tsx') }),
    ]);
    const decision = made.pass(0);
    expect(decision.start).toEqual(['a', 'b']);
    expect(decision.waiting.get('c')).toEqual({
      code: 'path-conflict',
      jobId: 'a',
      ticketId: 'A',
      running: true,
      path: 'src/ui/button.tsx',
      theirPath: 'src/ui',
    });
    expect(made.end('a', 'merged', 1)).toMatchObject({ start: ['c'], full: false });
  });

  it('never lets a job overtake a whole-repository one, in its own repository', () => {
    const made = admission([
      job('a', 1),
      job('whole', 2, { claim: everything }),
      job('c', 3),
      job('other', 4, { repoId: 'r2' }),
    ]);
    const decision = made.pass(0);
    expect(decision.start).toEqual(['a', 'other']);
    expect(decision.waiting.get('whole')).toMatchObject({
      code: 'touches-everything',
      jobId: 'a',
      whose: 'own',
    });
    expect(decision.waiting.get('c')).toMatchObject({
      code: 'touches-everything',
      jobId: 'whole',
      running: false,
    });
    expect(made.end('a', 'merged', 1).start).toEqual(['whole']);
    expect(made.end('whole', 'failed', 2).start).toEqual(['c']);
  });

  it('fills caps in order and says which cap is full', () => {
    const made = admission(
      [job('a', 1), job('b', 2), job('c', 3, { repoId: 'r2' }), job('d', 4, { repoId: 'r3' })],
      {
        machine: 2,
        repository: 1,
      },
    );
    const decision = made.pass(0);
    expect(decision.start).toEqual(['a', 'c']);
    expect(decision.waiting.get('b')).toEqual({ code: 'cap', scope: 'machine', limit: 2 });
    made.setCaps({ machine: 3, repository: 1 });
    const next = made.pass(1);
    expect(next.start).toEqual(['d']);
    made.setCaps({ machine: 4, repository: 1 });
    expect(made.pass(2).waiting.get('b')).toEqual({ code: 'cap', scope: 'repository', limit: 1 });
  });

  it('waits until a dependency is merged and puts the dependency first', () => {
    const made = admission([job('b', 1, { dependsOn: ['a'], claim: everything }), job('a', 2)]);
    const decision = made.pass(0);
    expect(decision.start).toEqual(['a']);
    expect(decision.waiting.get('b')).toEqual({
      code: 'depends-on',
      jobId: 'a',
      ticketId: 'A',
      state: 'running',
    });
    expect(made.order()).toEqual(['b']);
    expect(made.end('a', 'merged', 1)).toMatchObject({ start: ['b'], full: false });
  });

  it('holds what depends on a failed job, and lets others by while it is held', () => {
    const made = admission([
      job('a', 1),
      job('b', 2, { dependsOn: ['a'] }),
      job('c', 3, { dependsOn: ['b'], claim: everything }),
      job('d', 4),
    ]);
    made.pass(0);
    const decision = made.end('a', 'failed', 1);
    expect(decision.held.get('b')).toMatchObject({ code: 'dependency-failed', jobId: 'a', state: 'failed' });
    expect(decision.waiting.get('c')).toMatchObject({ code: 'depends-on', jobId: 'b', state: 'held' });
    expect(decision.start).toEqual(['d']);
  });

  it('holds a job whose dependency is not there, and one of a circle', () => {
    const made = admission([
      job('a', 1, { dependsOn: ['gone'] }),
      job('b', 2, { dependsOn: ['c'] }),
      job('c', 3, { dependsOn: ['b'] }),
    ]);
    const { held, start } = made.pass(0);
    expect(start).toEqual([]);
    expect(held.get('a')).toMatchObject({ code: 'dependency-failed', state: 'gone' });
    expect(held.get('c')).toMatchObject({ code: 'dependency-failed', jobId: 'b' });
  });

  it('keeps related jobs apart in either direction without ordering them', () => {
    const made = admission([job('a', 1), job('b', 2, { related: ['a'] })]);
    const decision = made.pass(0);
    expect(decision.start).toEqual(['a']);
    expect(decision.waiting.get('b')).toEqual({ code: 'related', jobId: 'a', ticketId: 'A', running: true });
    expect(made.end('a', 'failed', 0).start).toEqual(['b']);
  });

  it('does not run a reopened job beside a running one that rests on it', () => {
    const made = admission([
      job('a', 1),
      job('b', 2, { dependsOn: ['a'], state: 'merged' }),
      job('c', 3, { dependsOn: ['b'], state: 'running' }),
      job('d', 4, { dependsOn: ['b'] }),
    ]);
    const decision = made.pass(0);
    expect(decision.start).toEqual([]);
    expect(decision.waiting.get('a')).toMatchObject({ code: 'related', jobId: 'c' });
    expect(decision.waiting.get('d')).toMatchObject({ code: 'depends-on', jobId: 'a' });
    expect(made.end('c', 'merged', 0).start).toEqual(['a']);
  });

  it('keeps the place of a pausing job only in the last minute of its pause', () => {
    const untilAt = 10 * KEEPS_PLACE_MS;
    const entries = [
      job('a', 1, { notBeforeAt: untilAt, notBeforeWhy: 'conflict' }),
      job('b', 2, { claim: claim('src/a.ts') }),
    ];
    const early = admission(entries).pass(0);
    expect(early.start).toEqual(['b']);
    expect(early.waiting.get('a')).toEqual({ code: 'backoff', untilAt, why: 'conflict' });
    const made = admission(entries, { machine: 1, repository: 1 });
    made.add(job('c', 0, { state: 'running' }));
    expect(made.pass(0).nextChangeAt).toBe(untilAt - KEEPS_PLACE_MS);
    const late = made.pass(untilAt - KEEPS_PLACE_MS);
    expect(late.waiting.get('b')).toMatchObject({ code: 'path-conflict', jobId: 'a', running: false });
    expect(late.nextChangeAt).toBe(untilAt);
  });

  it('puts interactive before batch before background, until age has raised a job', () => {
    const entries = [
      job('slow', 1, { priority: 'background' }),
      job('normal', 2, { queuedAt: AGEING_MS * 1.5 }),
      job('fast', 3, { priority: 'interactive', queuedAt: AGEING_MS * 1.5 }),
    ];
    const none = { machine: 0, repository: 0 };
    const made = admission(entries, none);
    made.pass(0);
    expect(made.order()).toEqual(['fast', 'normal', 'slow']);
    expect(made.pass(AGEING_MS).nextChangeAt).toBe(AGEING_MS * 2);
    expect(made.order()).toEqual(['fast', 'slow', 'normal']);
    made.pass(AGEING_MS * 2);
    expect(made.order()).toEqual(['slow', 'fast', 'normal']);
  });

  it('lifts a lazy dependency to the job that waits for it', () => {
    const made = admission(
      [
        job('x', 1),
        job('lazy', 2, { priority: 'background' }),
        job('fast', 3, { priority: 'interactive', dependsOn: ['lazy'] }),
      ],
      { machine: 1, repository: 1 },
    );
    expect(made.pass(0).start).toEqual(['lazy']);
  });

  it('takes back a job that could not be started', () => {
    const made = admission([job('a', 1)]);
    expect(made.pass(0).start).toEqual(['a']);
    expect(made.pass(0).start).toEqual([]);
    made.update('a', { state: 'queued' });
    expect(made.pass(0).start).toEqual(['a']);
  });

  it('needs no full pass for an update that says what it knows', () => {
    const made = admission([job('a', 1), job('b', 2, { claim: claim('src/a.ts') })]);
    made.pass(0);
    expect(made.update('a', { state: 'running', claim: claim('src/a.ts') })).toBe(true);
    expect(made.end('a', 'merged', 0)).toMatchObject({ full: false, start: ['b'] });
    expect(made.update('nobody', { state: 'running' })).toBe(false);
  });
});
