import { describe, expect, it } from 'vitest';
import { Limiter } from './limiter.ts';

describe('the install limiter', () => {
  const never = new AbortController().signal;
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
        never,
        () => waited.push(index),
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
    const failing = limiter.run(
      async () => {
        await first.opened;
        throw new Error('failed');
      },
      never,
      () => undefined,
    );
    const controller = new AbortController();
    const given = limiter.run(
      async () => 'never',
      controller.signal,
      () => undefined,
    );
    const last = limiter.run(
      async () => 'ran',
      never,
      () => undefined,
    );
    controller.abort();
    await expect(given).rejects.toThrow(/cancelled/);
    first.open();
    await expect(failing).rejects.toThrow('failed');
    expect(await last).toBe('ran');
  });
});
