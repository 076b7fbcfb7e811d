import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { later } from './later.ts';

describe('later', () => {
  it('makes its value once, with its first use', () => {
    let made = 0;
    const value = later(() => {
      made += 1;
      return { a: 1 };
    });
    expect(made).toBe(0);
    expect(value.a + value.a).toBe(2);
    expect(made).toBe(1);
  });

  it('is a schema where it holds one: alone, inside others, optional and extended', () => {
    const inner = later(() => z.object({ id: z.string() }));
    const union = later(() =>
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b'), inner }),
      ]),
    );
    expect(inner.parse({ id: 'x' })).toEqual({ id: 'x' });
    expect(z.array(inner).safeParse([{ id: 1 }]).success).toBe(false);
    expect(
      z.object({ inner: inner.optional(), union }).parse({ union: { kind: 'b', inner: { id: 'y' } } }),
    ).toEqual({
      union: { kind: 'b', inner: { id: 'y' } },
    });
    expect(inner.extend({ n: z.number() }).parse({ id: 'x', n: 1 })).toEqual({ id: 'x', n: 1 });
    expect(inner.partial().parse({})).toEqual({});
  });

  it('shows the properties of what it holds', () => {
    const map = later(() => ({ one: 1, two: 2 }));
    expect(Object.hasOwn(map, 'one')).toBe(true);
    expect(Object.hasOwn(map, 'toString')).toBe(false);
    expect(Object.keys(map)).toEqual(['one', 'two']);
  });
});
