import { describe, expect, it } from 'vitest';
import { Limiter } from './limiter.ts';

describe('the install limiter', () => {
  const never = new AbortController().signal;
  const quietly = { signal: never, priority: 'job', onWait: () => undefined } as const;
  const gate = (): { opened: Promise<void>; open: () => void } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { opened: promise, open: resolve };
  };

  it('lets no more in than the limit, in order of arrival', async () => {
    const limiter = new Limiter(() => 2);
    const gates = Array.from({ length: 4 }, gate);
    const started: number[] = [];
    const waited: number[] = [];
    const runs = gates.map((one, index) =>
      limiter.run(
        async () => {
          started.push(index);
          await one.opened;
        },
        { signal: never, priority: 'job', onWait: () => waited.push(index) },
      ),
    );
    expect(started).toEqual([0, 1]);
    expect(waited).toEqual([2, 3]);
    gates[1]?.open();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    for (const one of gates) one.open();
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('gives a place back after a failure, and forgets who gave up', async () => {
    const limiter = new Limiter(() => 1);
    const first = gate();
    const failing = limiter.run(async () => {
      await first.opened;
      throw new Error('failed');
    }, quietly);
    const controller = new AbortController();
    const given = limiter.run(async () => 'never', { ...quietly, signal: controller.signal });
    const last = limiter.run(async () => 'ran', quietly);
    controller.abort();
    await expect(given).rejects.toThrow(/cancelled/);
    first.open();
    await expect(failing).rejects.toThrow('failed');
    expect(await last).toBe('ran');
  });

  it('never lets a job wait for a warm-up, nor a warm-up begin while a job waits', async () => {
    const limiter = new Limiter(() => 2);
    const gates = new Map<string, ReturnType<typeof gate>>();
    const started: string[] = [];
    const runs: Promise<void>[] = [];
    const ask = (name: string, priority: 'job' | 'warm-up'): void => {
      const one = gate();
      gates.set(name, one);
      const action = async (): Promise<void> => {
        started.push(name);
        await one.opened;
      };
      runs.push(limiter.run(action, { ...quietly, priority }));
    };
    for (const name of ['w1', 'w2', 'w3']) ask(name, 'warm-up');
    for (const name of ['j1', 'j2', 'j3']) ask(name, 'job');
    expect(started).toEqual(['w1', 'w2', 'j1', 'j2']);
    gates.get('w1')?.open();
    await runs[0];
    expect(started).toEqual(['w1', 'w2', 'j1', 'j2']);
    gates.get('j1')?.open();
    await runs[3];
    expect(started).toEqual(['w1', 'w2', 'j1', 'j2', 'j3']);
    for (const name of ['w2', 'j2', 'j3']) gates.get(name)?.open();
    await Promise.all([runs[1], runs[4], runs[5]]);
    expect(started.at(-1)).toBe('w3');
    gates.get('w3')?.open();
    await Promise.all(runs);
  });
});
