import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { COALESCE_BYTES, COALESCE_MS, Coalescer } from './coalescer.ts';

describe('Coalescer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends the first output at once and joins what follows closely', () => {
    const sent: string[] = [];
    const coalescer = new Coalescer((bytes) => sent.push(bytes.toString()));
    coalescer.push(Buffer.from('a'));
    coalescer.push(Buffer.from('b'));
    coalescer.push(Buffer.from('c'));
    expect(sent).toEqual(['a']);
    vi.advanceTimersByTime(COALESCE_MS);
    expect(sent).toEqual(['a', 'bc']);
    vi.advanceTimersByTime(COALESCE_MS);
    coalescer.push(Buffer.from('d'));
    expect(sent).toEqual(['a', 'bc', 'd']);
  });

  it('does not wait once there is enough', () => {
    const sizes: number[] = [];
    const coalescer = new Coalescer((bytes) => sizes.push(bytes.length));
    coalescer.push(Buffer.from('a'));
    coalescer.push(Buffer.alloc(2 * COALESCE_BYTES, 'x'));
    expect(sizes).toEqual([1, COALESCE_BYTES, COALESCE_BYTES]);
    coalescer.end();
  });

  it('keeps an unfinished character until the rest comes, or the end', () => {
    const sent: Buffer[] = [];
    const coalescer = new Coalescer((bytes) => sent.push(Buffer.from(bytes)));
    const [first = 0, ...rest] = Buffer.from('😀');
    coalescer.push(Buffer.from([first]));
    vi.advanceTimersByTime(1000);
    expect(sent).toEqual([]);
    coalescer.push(Buffer.from(rest));
    vi.advanceTimersByTime(COALESCE_MS);
    coalescer.push(Buffer.from([first]));
    vi.advanceTimersByTime(COALESCE_MS);
    coalescer.end();
    expect(sent.map((bytes) => bytes.toString('hex'))).toEqual(['f09f9880', 'f0']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives every byte in order, in whole characters, however it is chunked', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.nat(200)),
        fc.array(fc.boolean()),
        (text, cuts, waits) => {
          const bytes = Buffer.from(text);
          const sent: Buffer[] = [];
          const coalescer = new Coalescer((piece) => sent.push(Buffer.from(piece)));
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          places.slice(1).forEach((to, index) => {
            coalescer.push(bytes.subarray(places[index], to));
            if (waits[index]) vi.advanceTimersByTime(COALESCE_MS);
          });
          coalescer.end();
          expect(Buffer.concat(sent).equals(bytes)).toBe(true);
          for (const piece of sent) expect(piece.toString()).not.toContain('\ufffd');
        },
      ),
    );
  });
});
