import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExitMark } from './exit-mark.ts';

describe('ExitMark', () => {
  it('is found and taken out wherever the output is cut', () => {
    const whole = Buffer.from('before\u001b[31m\u001b]7340;other;1\u0007 x\u001b]7340;abc;137\u0007after');
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
        const mark = new ExitMark('abc');
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        let text = '';
        let code: number | undefined;
        for (let index = 1; index < places.length && code === undefined; index += 1) {
          const result = mark.push(whole.subarray(places[index - 1], places[index]));
          text += result.bytes.toString();
          code = result.code;
        }
        expect(text).toBe('before\u001b[31m\u001b]7340;other;1\u0007 x');
        expect(code).toBe(137);
      }),
    );
  });

  it('gives back what only began like one', () => {
    const mark = new ExitMark('abc');
    expect(mark.push(Buffer.from('x\u001b]73')).bytes.toString()).toBe('x');
    expect(mark.end().toString()).toBe('\u001b]73');
  });
});
