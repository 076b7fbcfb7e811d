import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES, freeRead, giveBlock, takeBlock } from './output-memory.ts';

describe('output memory', () => {
  it('gives blocks out again, each to one taker', () => {
    const block = takeBlock();
    expect(block.length).toBe(BLOCK_BYTES);
    giveBlock(block);
    const taken = [takeBlock(), takeBlock()];
    expect(new Set(taken).size).toBe(2);
    for (const each of taken) giveBlock(each);
  });

  it('frees what is nobody else’s, and leaves a part of more memory alone', () => {
    const own = new Uint8Array(10_000).fill(7);
    freeRead(own);
    expect(own.length).toBe(0);
    const whole = Buffer.alloc(10_000, 7);
    freeRead(whole.subarray(0, 5_000));
    expect(whole.every((byte) => byte === 7)).toBe(true);
    // Small buffers of Node share one piece of memory.
    const small = Buffer.from('text');
    freeRead(small);
    expect(small.toString()).toBe('text');
  });
});
