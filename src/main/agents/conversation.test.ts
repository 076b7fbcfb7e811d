import { describe, expect, it } from 'vitest';
import { estimateTokens, type Turn, trimConversation } from './conversation.ts';

const long = 'x'.repeat(10_000);
const round = (index: number): Turn[] => [
  {
    role: 'assistant',
    text: '',
    calls: [{ id: `c${index}`, name: 'write', input: { path: 'a', content: long } }],
  },
  { role: 'tools', results: [{ id: `c${index}`, name: 'write', text: long, failed: false }] },
];
const turns: Turn[] = [{ role: 'user', text: 'the task' }, ...[0, 1, 2, 3].flatMap(round)];

describe('trimConversation', () => {
  it('leaves alone what fits', () => {
    expect(trimConversation(turns, 100_000)).toMatchObject({ turns, cutResults: 0, fits: true });
  });

  it('drops old results first, says so in their place, and keeps the task and the last results', () => {
    const trimmed = trimConversation(turns, estimateTokens(turns) - 10);
    expect(trimmed.fits).toBe(true);
    expect(trimmed.turns[0]).toBe(turns[0]);
    expect(JSON.stringify(trimmed.turns[2])).toContain('10000 characters were here');
    expect(trimmed.turns.at(-1)).toBe(turns.at(-1));
    expect(trimmed.turns.at(-3)).toBe(turns.at(-3));
    expect(estimateTokens(trimmed.turns)).toBeLessThan(estimateTokens(turns));
    // What was given is not changed.
    expect(JSON.stringify(turns[2])).not.toContain('were here');
  });

  it('cuts long texts of old calls where results are not enough', () => {
    const trimmed = trimConversation(turns, 15_000);
    expect(trimmed.turns[1]).toMatchObject({
      calls: [{ id: 'c0', input: { path: 'a', content: expect.stringContaining('were here') } }],
    });
  });

  it('says when even that does not fit', () => {
    expect(trimConversation(turns, 100).fits).toBe(false);
  });
});
