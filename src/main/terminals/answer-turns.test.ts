import { describe, expect, it } from 'vitest';
import { AnswerTurns } from './answer-turns.ts';

const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name })) as [object, object, object];
/** For each byte who answers it. */
const answering = (turns: AnswerTurns, bytes: number): string =>
  Array.from({ length: bytes }, (_, offset) => {
    const who = [a, b, c].filter((reader) => turns.at(reader, offset).answers);
    expect(who.length).toBeLessThanOrEqual(1);
    return (who[0] as { name: string } | undefined)?.name ?? '-';
  }).join('');

describe('AnswerTurns', () => {
  it('lets nobody answer what was printed before they came', () => {
    const turns = new AnswerTurns();
    turns.join(a, 4, {});
    expect(answering(turns, 8)).toBe('----aaaa');
    expect(turns.at(a, 0)).toEqual({ answers: false, until: 4 });
  });

  it('gives the opener all of it, whoever comes before it, and only once', () => {
    const page = {};
    const turns = new AnswerTurns(page);
    turns.join(b, 2, {});
    turns.join(a, 5, page);
    expect(answering(turns, 8)).toBe('aabbbaaa');
    turns.leave(a, 7);
    turns.join(c, 7, page);
    expect(answering(turns, 10)).toBe('--bbb--ccc');
  });

  it('follows the person from window to window, and back', () => {
    const turns = new AnswerTurns();
    turns.join(a, 0, {});
    turns.join(b, 2, {});
    turns.used(a, 4);
    turns.used(a, 5);
    turns.used(b, 6);
    expect(answering(turns, 8)).toBe('aabbaabb');
  });

  it('leaves to the next window only what follows', () => {
    const turns = new AnswerTurns();
    turns.join(a, 0, {});
    turns.join(b, 2, {});
    turns.leave(b, 5);
    expect(answering(turns, 7)).toBe('aa---aa');
    turns.leave(a, 6);
    expect(answering(turns, 8)).toBe('--------');
  });

  it('does not answer again for a window that comes back', () => {
    const turns = new AnswerTurns();
    turns.join(a, 0, {});
    turns.leave(a, 3);
    turns.join(a, 3, {});
    expect(answering(turns, 5)).toBe('---aa');
  });

  it('forgets turns of what is no longer kept', () => {
    const turns = new AnswerTurns();
    for (let offset = 0; offset < 100; offset += 2) {
      turns.used(a, offset);
      turns.used(b, offset + 1);
      turns.trim(offset);
    }
    expect(answering(turns, 102).slice(98)).toBe('abbb');
    expect(turns.at(a, 0)).toEqual({ answers: false, until: 98 });
  });
});
