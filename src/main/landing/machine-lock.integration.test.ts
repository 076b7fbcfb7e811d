import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withMachineLock } from './machine-lock.ts';

const MODULE = fileURLToPath(new URL('./machine-lock.ts', import.meta.url));

describe('withMachineLock', () => {
  it('lets one in at a time, and the next in when it is done or failed', async () => {
    const key = randomUUID();
    let inIt = 0;
    let most = 0;
    const task = (fails: boolean) => () =>
      withMachineLock(key, 60_000, async () => {
        inIt += 1;
        most = Math.max(most, inIt);
        await new Promise(setImmediate);
        inIt -= 1;
        if (fails) throw new Error('in the task');
      });
    const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((index) => task(index % 2 === 1)()));
    expect(most).toBe(1);
    expect(results.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
  });

  const script = (key: string) => `import { withMachineLock } from ${JSON.stringify(MODULE)};
    await withMachineLock(${JSON.stringify(key)}, 1000, () => { console.log('held'); return new Promise((r) => setTimeout(r, 300000)); });`;
  const hold = (key: string) =>
    spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script(key)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });

  it.runIf(process.platform === 'linux')(
    'says which process holds it and whether that is suspended, and lets who waits leave',
    async () => {
      const key = randomUUID();
      const holder = hold(key);
      const exited = once(holder, 'exit');
      try {
        await once(holder.stdout, 'data');
        const told = async (): Promise<unknown> => {
          const leaving = new AbortController();
          const { promise, resolve } = Promise.withResolvers<unknown>();
          const waiting = withMachineLock(key, 60_000, async () => 'in', {
            signal: leaving.signal,
            onWait: resolve,
          });
          const found = await promise;
          leaving.abort(new Error('left'));
          await expect(waiting).rejects.toThrow('left');
          return found;
        };
        expect(await told()).toEqual({ pid: holder.pid, suspended: false });
        holder.kill('SIGSTOP');
        await expect.poll(told).toEqual({ pid: holder.pid, suspended: true });
        await expect(withMachineLock(key, 50, async () => 'in')).rejects.toThrow(
          `process ${holder.pid}, which is suspended, is merging`,
        );
      } finally {
        holder.kill('SIGKILL');
        await exited;
      }
    },
  );

  it('is free again when the process that held it was killed', async () => {
    const key = randomUUID();
    const holder = hold(key);
    const exited = once(holder, 'exit');
    try {
      await once(holder.stdout, 'data');
      await expect(withMachineLock(key, 50, async () => 'in')).rejects.toMatchObject({ code: 'busy' });
      const waiting = withMachineLock(key, 60_000, async () => 'in');
      holder.kill('SIGKILL');
      expect(await waiting).toBe('in');
    } finally {
      holder.kill('SIGKILL');
      await exited;
    }
  });
});
