import { describe, expect, it } from 'vitest';
import { type Outcome, WriteQueue } from './write-queue.ts';

class Busy extends Error {}

/** A database in memory that may be busy for its first tries. */
function queueOf(options: { busyTimes?: number; giveUpMs?: number } = {}) {
  let busyTimes = options.busyTimes ?? 0;
  const transactions: number[] = [];
  const queue = new WriteQueue({
    commit(bodies) {
      if (busyTimes > 0) {
        busyTimes -= 1;
        throw new Busy('in use');
      }
      transactions.push(bodies.length);
      return bodies.map((body): Outcome => {
        try {
          return { value: body() };
        } catch (error) {
          return { error };
        }
      });
    },
    isBusy: (thrown) => thrown instanceof Busy,
    explain: (thrown) => thrown,
    busyError: () => new Error('busy for too long'),
    giveUpMs: options.giveUpMs ?? 60_000,
  });
  return { queue, transactions };
}

describe('changes that are asked for', () => {
  it('share a transaction where they come at the same moment, in their order', async () => {
    const { queue, transactions } = queueOf();
    const seen: number[] = [];
    await Promise.all([1, 2, 3].map((value) => queue.add(() => seen.push(value))));
    expect(seen).toEqual([1, 2, 3]);
    expect(transactions).toEqual([3]);
  });

  it('fail alone', async () => {
    const { queue } = queueOf();
    const results = await Promise.allSettled([
      queue.add(() => 'a'),
      queue.add(() => {
        throw new Error('b is wrong');
      }),
      queue.add(() => 'c'),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('wait for a busy database, and nobody overtakes meanwhile', async () => {
    const { queue, transactions } = queueOf({ busyTimes: 3 });
    const seen: string[] = [];
    const first = queue.add(() => seen.push('first'));
    await undefined;
    await Promise.all([first, queue.add(() => seen.push('second'))]);
    expect(seen).toEqual(['first', 'second']);
    expect(transactions).toEqual([1, 1]);
  });

  it('are refused where it stays busy for too long, and those after them are tried anew', async () => {
    const { queue } = queueOf({ busyTimes: 1, giveUpMs: -1 });
    await expect(queue.add(() => 'a')).rejects.toThrow('busy for too long');
    await expect(queue.add(() => 'b')).resolves.toBe('b');
  });

  it('are all written whatever moment of another one they come in', async () => {
    const { queue } = queueOf();
    const later: Promise<unknown>[] = [];
    const steps = async (count: number): Promise<void> => {
      for (let step = 0; step < count; step += 1) await undefined;
    };
    for (let count = 0; count < 12; count += 1) {
      const first = queue.add(() => 'first');
      later.push(first.then(() => steps(count)).then(() => queue.add(() => 'later')));
      await steps(count);
      later.push(queue.add(() => 'meanwhile'));
      await Promise.all(later);
    }
    await queue.settled();
    expect(later).toHaveLength(24);
  });
});
