import { describe, expect, it } from 'vitest';
import { crashTest } from './crash-test.ts';

describe.runIf(process.platform === 'linux')('runs that are killed at any moment', () => {
  it('lose nothing, do nothing twice and leave nothing behind', async () => {
    const result = await crashTest({ kills: 6, seed: 266 });
    expect(result.faults).toEqual([]);
    expect(result.kills).toBe(6);
  }, 600_000);
});
