import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepFaucet } from '../../limits/step-faucet.ts';
import { runInOrder } from './run-in-order.ts';

type Given = { good: boolean; waitsFor: number[] };

const steps = fc
  .array(fc.record({ good: fc.boolean(), mask: fc.nat() }), { minLength: 1, maxLength: 7 })
  .map((all): Given[] =>
    all.map(({ good, mask }, at) => ({
      good,
      waitsFor: [...Array(at).keys()].filter((earlier) => (mask >> earlier) % 2 === 1),
    })),
  );

/** What running one after another gives: all up to the first that is not good. */
function inSequence(given: readonly Given[]): number[] {
  const bad = given.findIndex(({ good }) => !good);
  return [...Array(bad < 0 ? given.length : bad + 1).keys()];
}

describe('runInOrder', () => {
  it('gives what running one after another gives, in whichever order steps end', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 4 }),
        fc.scheduler(),
        async (given, limit, scheduler) => {
          const running = new Set<number>();
          const cancelled = new Set<number>();
          const ended = new Set<number>();
          let most = 0;
          const result = runInOrder({
            waitsFor: given.map(({ waitsFor }) => waitsFor),
            faucet: new StepFaucet(() => limit),
            async run(index, signal) {
              expect(given[index]?.waitsFor.every((earlier) => ended.has(earlier))).toBe(true);
              running.add(index);
              most = Math.max(most, running.size);
              await scheduler.schedule(Promise.resolve(), `step ${index}`);
              running.delete(index);
              if (signal.aborted) {
                cancelled.add(index);
                throw new Error('cancelled');
              }
              ended.add(index);
              return index;
            },
            goesOn: (index) => given[index]?.good === true,
          });
          await scheduler.waitFor(result);
          expect(await result).toEqual(inSequence(given));
          expect(most).toBeLessThanOrEqual(limit);
          expect(running.size).toBe(0);
          for (const index of cancelled) expect(inSequence(given)).not.toContain(index);
        },
      ),
    );
  });

  it('ends what runs beside a step that breaks off, and rejects as it', async () => {
    const aborted: number[] = [];
    const running = runInOrder<number>({
      waitsFor: [[], [], []],
      faucet: new StepFaucet(() => 3),
      run: (index, signal) =>
        index === 0
          ? Promise.reject(new Error('broke off'))
          : new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                aborted.push(index);
                reject(new Error('cancelled'));
              });
            }),
      goesOn: () => true,
    });
    await expect(running).rejects.toThrow('broke off');
    expect(aborted).toEqual([1, 2]);
  });

  it('starts what had no room as soon as another gate gives some back', async () => {
    const faucet = new StepFaucet(() => 2);
    faucet.take(true);
    const started: number[] = [];
    let finish: () => void = () => undefined;
    const both = runInOrder({
      waitsFor: [[], []],
      faucet,
      async run(index) {
        started.push(index);
        if (index === 0) {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
        } else finish();
        return index;
      },
      goesOn: () => true,
    });
    expect(started).toEqual([0]);
    faucet.release();
    expect(await both).toEqual([0, 1]);
    expect(faucet.take(false)).toBe(true);
  });
});
