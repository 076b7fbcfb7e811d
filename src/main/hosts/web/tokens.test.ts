import { expect, it } from 'vitest';
import { DAY_MS } from '../../../shared/time.ts';
import { memoryDocument } from '../../store/testing/memory-document.ts';
import { createTokens, memoryTokens } from './tokens.ts';

it('is known to later starts for 30 days, until one takes it back, and is kept nowhere as it is', async () => {
  const kept = memoryDocument();
  const first = await createTokens(kept, 0, false);
  const second = await createTokens(kept, 29 * DAY_MS, false);
  expect(first.token).not.toBe(second.token);
  expect([await second.isKnown(first.token), await first.isKnown(second.token)]).toEqual([true, true]);
  expect(JSON.stringify(await kept.read())).not.toContain(first.token);
  const third = await createTokens(kept, 31 * DAY_MS, false);
  expect([await third.isKnown(first.token), await third.isKnown(second.token)]).toEqual([false, true]);
  const renewed = await createTokens(kept, 31 * DAY_MS, true);
  expect([await third.isKnown(second.token), await third.isKnown(third.token)]).toEqual([false, false]);
  expect(await renewed.isKnown(renewed.token)).toBe(true);
});

it('is no other one, whatever its length, and nothing is none', async () => {
  for (const tokens of [memoryTokens(), await createTokens(memoryDocument('damaged'), 0, false)]) {
    const { token } = tokens;
    expect(await tokens.isKnown(token)).toBe(true);
    for (const wrong of [undefined, '', token.slice(1), `${token}x`, token.toUpperCase()])
      expect(await tokens.isKnown(wrong)).toBe(false);
  }
});
