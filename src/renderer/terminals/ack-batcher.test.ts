import fc from 'fast-check';
import { expect, it } from 'vitest';
import { STREAM_LOW_BYTES } from '../../shared/contract.ts';
import { createAckBatcher } from './ack-batcher.ts';
import { safeTarget } from './links.ts';

it('acknowledges in lumps while output flows and all of it at the end', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1 }), (chunks) => {
      let acknowledged = 0;
      let written = 0;
      const acks = createAckBatcher((bytes) => {
        acknowledged += bytes;
      });
      for (const bytes of chunks) {
        acks.received(bytes);
        written += bytes;
      }
      let taken = 0;
      for (const bytes of chunks) {
        acks.taken(bytes);
        taken += bytes;
        expect(taken - acknowledged).toBeLessThan(STREAM_LOW_BYTES);
      }
      expect(acknowledged).toBe(written);
    }),
  );
});

it('opens web links only', () => {
  expect(safeTarget('https://example.org/a?b')).toBe('https://example.org/a?b');
  for (const text of ['javascript:alert(1)', 'file:///etc/passwd', 'vscode://x', 'no link']) {
    expect(safeTarget(text)).toBeUndefined();
  }
});
