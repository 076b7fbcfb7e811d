import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputRing } from './output-ring.ts';

describe('OutputRing', () => {
  it('says how much of the beginning is gone, and begins between characters', () => {
    const ring = new OutputRing(16 * 1024);
    ring.append(Buffer.from('é'.repeat(10_000)));
    ring.append(Buffer.from('z'));
    const read = ring.read(0, 100_000);
    expect(read?.bytes.toString()).toBe(`${'é'.repeat(8191)}z`);
    expect(read?.skipped).toBe(20_001 - 2 * 8191 - 1);
    expect(ring.read(20_001, 10)).toBeUndefined();
  });

  it('counts what an earlier run left out', () => {
    const ring = new OutputRing(1024 * 1024, 500);
    ring.append(Buffer.from('tail'));
    expect(ring.read(0, 10)).toEqual({ bytes: Buffer.from('tail'), skipped: 500 });
  });

  it('is the end of what was written, for every reader at every pace', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 12 }),
        fc.integer({ min: 4, max: 70_000 }),
        fc.integer({ min: 16 * 1024, max: 100_000 }),
        (sizes, pace, limit) => {
          const ring = new OutputRing(limit);
          const all: Buffer[] = [];
          let offset = 0;
          let missed = 0;
          let counter = 0;
          for (const size of sizes) {
            const piece = Buffer.from(Array.from({ length: size }, () => 32 + (counter++ % 90)));
            ring.append(piece);
            all.push(piece);
            const read = ring.read(offset, pace);
            if (!read) continue;
            offset += read.skipped;
            missed += read.skipped;
            const whole = Buffer.concat(all);
            expect(read.bytes.equals(whole.subarray(offset, offset + read.bytes.length))).toBe(true);
            offset += read.bytes.length;
          }
          expect(ring.end).toBe(sizes.reduce((sum, size) => sum + size, 0));
          expect(ring.end - ring.start).toBeLessThanOrEqual(limit);
          expect(missed).toBeLessThanOrEqual(Math.max(0, ring.start));
        },
      ),
    );
  });
});
