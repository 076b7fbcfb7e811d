import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeOrder, orderChange } from './order-change.ts';

const order = fc.uniqueArray(fc.constantFrom(...'abcdefghijkl'));

describe('what is told of an order', () => {
  it('is nothing where it stays, and what left, came or moved where it does not', () => {
    expect(orderChange(['a', 'b'], ['a', 'b'])).toBeUndefined();
    expect(orderChange(['a', 'b', 'c'], ['b', 'c'])).toEqual({ left: ['a'], placed: [] });
    expect(orderChange(['a', 'b'], ['x', 'a', 'b', 'y', 'z'])).toEqual({
      left: [],
      placed: [{ ids: ['x'] }, { after: 'b', ids: ['y', 'z'] }],
    });
    expect(orderChange(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c'])).toEqual({
      left: [],
      placed: [{ ids: ['d'] }],
    });
  });

  it('leads from any order to any other', () => {
    fc.assert(
      fc.property(order, order, (before, after) => {
        const change = orderChange(before, after);
        expect(change ? changeOrder(before, change) : before).toEqual(after);
      }),
    );
  });

  it('leaves an order as it is that has it already', () => {
    fc.assert(
      fc.property(order, order, (before, after) => {
        const change = orderChange(before, after);
        expect(change ? changeOrder(after, change) : after).toEqual(after);
      }),
    );
  });

  it('names one id where one of ten thousand moves', () => {
    const before = Array.from({ length: 10_000 }, (_, index) => `j-${index}`);
    const after = [...before.slice(0, 5000), ...before.slice(5001), 'j-5000'];
    expect(orderChange(before, after)).toEqual({
      left: [],
      placed: [{ after: 'j-9999', ids: ['j-5000'] }],
    });
  });
});
