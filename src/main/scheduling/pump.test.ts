import { expect, it } from 'vitest';
import { Pump } from './pump.ts';

/** A pass that ends when the test says so. */
function slowPasses() {
  const ends: (() => void)[] = [];
  const pump = new Pump(() => new Promise((resolve) => ends.push(resolve)));
  return { pump, ends };
}

it('runs one more pass for all who asked during one, and settles them after it', async () => {
  const { pump, ends } = slowPasses();
  const settled: number[] = [];
  const asked = [0, 1, 2].map((index) => pump.poke().then(() => settled.push(index)));
  ends[0]?.();
  await new Promise(setImmediate);
  expect([ends.length, settled]).toEqual([2, []]);
  ends[1]?.();
  await Promise.all(asked);
  await pump.rest();
  expect([ends.length, settled]).toEqual([2, [0, 1, 2]]);
});

it('begins anew when it is asked at rest', async () => {
  const { pump, ends } = slowPasses();
  for (const pass of [0, 1]) {
    const asked = pump.poke();
    ends[pass]?.();
    await asked;
  }
  expect(ends).toHaveLength(2);
});
