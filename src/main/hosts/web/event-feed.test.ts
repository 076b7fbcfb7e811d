import { describe, expect, test } from 'vitest';
import type { AnyEvent } from '../../../shared/contract.ts';
import { eventsAfter } from './event-feed.ts';

const event = (seq: number): AnyEvent => ({ name: 'jobs.ordered', payload: { left: [], placed: [] }, seq });
const kept = [event(5), event(6), event(7)];

describe('what a reader missed', () => {
  test('is what came after the last event that it saw', () => {
    expect(eventsAfter(kept, 5)?.map(({ seq }) => seq)).toEqual([6, 7]);
    expect(eventsAfter(kept, 4)?.map(({ seq }) => seq)).toEqual([5, 6, 7]);
    expect(eventsAfter(kept, 7)).toEqual([]);
  });

  test('is unknown once it is no longer kept, or where the numbers are not ours', () => {
    expect(eventsAfter(kept, 3)).toBeUndefined();
    expect(eventsAfter(kept, 8)).toBeUndefined();
    expect(eventsAfter(kept, Number.NaN)).toBeUndefined();
    expect(eventsAfter([], 0)).toBeUndefined();
  });
});
