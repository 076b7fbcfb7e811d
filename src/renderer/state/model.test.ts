import { describe, expect, it } from 'vitest';
import type { AnyEvent } from '../../shared/contract.ts';
import { testJob, testSnapshot } from '../test-data.ts';
import { applyEvents, type Model, modelFromSnapshot } from './model.ts';

const base = (): Model =>
  modelFromSnapshot(testSnapshot({ seq: 10, jobs: [testJob('a'), testJob('b')], queue: ['a', 'b'] }));

const changed = (seq: number, job = testJob('a', { state: 'running' })): AnyEvent => ({
  name: 'job.changed',
  payload: job,
  seq,
});

function applied(model: Model, events: readonly AnyEvent[]): Model {
  const result = applyEvents(model, events);
  if (result.kind !== 'applied') throw new Error(`a gap at ${result.got}`);
  return result.model;
}

describe('applyEvents', () => {
  it('applies events in sequence and moves the number along', () => {
    const next = applied(base(), [changed(11), { name: 'slot.removed', payload: { slotId: 's' }, seq: 12 }]);
    expect(next.seq).toBe(12);
    expect(next.jobs.get('a')?.state).toBe('running');
  });

  it('reports a gap instead of guessing', () => {
    expect(applyEvents(base(), [changed(11), changed(13)])).toEqual({ kind: 'gap', expected: 12, got: 13 });
  });

  it('passes over events that the snapshot already holds', () => {
    const next = applied(base(), [changed(9), changed(10)]);
    expect(next.jobs.get('a')?.state).toBe('queued');
    expect(next.seq).toBe(10);
  });

  it('keeps the newer row where two changes of a job arrive in the wrong order', () => {
    const newer = testJob('a', { state: 'merged', seq: 5 });
    const older = testJob('a', { state: 'running', seq: 4 });
    expect(applied(base(), [changed(11, newer), changed(12, older)]).jobs.get('a')?.state).toBe('merged');
  });

  it('leaves maps that no event touched the same, so that nothing else renders', () => {
    const before = base();
    const next = applied(before, [changed(11)]);
    expect(next.slots).toBe(before.slots);
    expect(next.jobs).not.toBe(before.jobs);
    expect(before.jobs.get('a')?.state).toBe('queued');
  });

  it('appends a new job and takes over an order that names only some', () => {
    const next = applied(base(), [
      changed(11, testJob('c')),
      { name: 'jobs.ordered', payload: { left: ['a'], placed: [{ ids: ['c'] }] }, seq: 12 },
    ]);
    expect(next.queue).toEqual(['c', 'b']);
    expect(next.order).toEqual(['c', 'b', 'a']);
  });

  it('explains queued jobs, and nothing that is no longer queued', () => {
    const cause = { code: 'cap', scope: 'machine', limit: 4 } as const;
    const next = applied(base(), [
      changed(11),
      { name: 'jobs.explained', payload: { causes: [{ cause, jobIds: ['a', 'b', 'gone'] }] }, seq: 12 },
    ]);
    expect(next.jobs.get('a')?.cause).toBeUndefined();
    expect(next.jobs.get('b')?.cause).toEqual(cause);
    expect(next.jobs.size).toBe(2);
  });

  it('counts an event that it does not know', () => {
    const unknown = { name: 'of.tomorrow', payload: {}, seq: 11 } as unknown as AnyEvent;
    expect(applied(base(), [unknown, changed(12)]).seq).toBe(12);
  });
});
