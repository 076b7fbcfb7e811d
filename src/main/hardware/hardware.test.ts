import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bindingLimit } from './binding-limit.ts';
import { controlGroups, cpuLimit, memoryLimitBytes, parseCores, parseLimit } from './control-groups.ts';
import { createHardwareSampler } from './sampler.ts';

const GIB = 1024 ** 3;

describe('limits of control groups', () => {
  it('are read, whatever no limit is spelt like', () => {
    expect(parseLimit('536870912\n')).toBe(536870912);
    expect(parseLimit('max\n')).toBeUndefined();
    expect(parseLimit('9223372036854771712')).toBeUndefined();
    expect(parseLimit('')).toBeUndefined();
    expect(parseCores('150000 100000\n')).toBe(1.5);
    expect(parseCores('max 100000\n')).toBeUndefined();
    expect(parseCores('-1\n 100000\n')).toBeUndefined();
    expect(parseCores('')).toBeUndefined();
  });

  it('are looked for in every group on the way up, in both versions', () => {
    const directories = (text: string, controller: 'memory' | 'cpu'): string[] =>
      controlGroups(text, controller).map(({ directory }) => directory);
    expect(directories('0::/user.slice/app\n', 'memory')).toEqual([
      '/sys/fs/cgroup/user.slice/app',
      '/sys/fs/cgroup/user.slice',
      '/sys/fs/cgroup',
    ]);
    expect(directories('5:cpu,memory:/docker/x\n4:pids:/docker/x\n', 'memory')).toEqual([
      '/sys/fs/cgroup/memory/docker/x',
      '/sys/fs/cgroup/memory/docker',
      '/sys/fs/cgroup/memory',
    ]);
    expect(directories('5:cpu,cpuacct:/x\n', 'cpu')[0]).toBe('/sys/fs/cgroup/cpu/x');
  });

  const reading =
    (files: Record<string, string>) =>
    async (file: string): Promise<string> =>
      files[file] ?? '';

  it.each<[string, Record<string, string>, number | undefined]>([
    ['of its own group', { '/proc/self/cgroup': '0::/', '/sys/fs/cgroup/memory.max': '2147483648' }, 2 * GIB],
    ['that there is none', { '/proc/self/cgroup': '0::/', '/sys/fs/cgroup/memory.max': 'max' }, undefined],
    [
      'of a parent',
      {
        '/proc/self/cgroup': '0::/user.slice/app.scope',
        '/sys/fs/cgroup/user.slice/app.scope/memory.max': 'max',
        '/sys/fs/cgroup/user.slice/memory.max': '4294967296',
      },
      4 * GIB,
    ],
    [
      'of version 1, where no limit is a huge number',
      {
        '/proc/self/cgroup': '3:memory:/',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
      },
      undefined,
    ],
  ])('memory: %s', async (_, files, expected) => {
    expect(await memoryLimitBytes(reading(files))).toBe(expected);
  });

  it('processor time: the smallest on the way up, and where its use is counted', async () => {
    const files = {
      '/proc/self/cgroup': '0::/a/b',
      '/sys/fs/cgroup/a/b/cpu.max': '400000 100000',
      '/sys/fs/cgroup/a/cpu.max': '150000 100000',
    };
    expect(await cpuLimit(reading(files))).toEqual({ cores: 1.5, usage: '/sys/fs/cgroup/a/cpu.stat' });
    const old = {
      '/proc/self/cgroup': '4:cpu,cpuacct:/x',
      '/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us': '50000',
      '/sys/fs/cgroup/cpu/x/cpu.cfs_period_us': '100000',
    };
    expect(await cpuLimit(reading(old))).toEqual({ cores: 0.5, usage: undefined });
    expect(await cpuLimit(reading({ '/proc/self/cgroup': '0::/' }))).toBeUndefined();
  });
});

describe('a sample', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const wait = async (ms: number): Promise<void> => {
    vi.advanceTimersByTime(ms);
  };

  /** Idle since boot, busy now; as the real one it measures nothing within a fifth of a second. */
  function driver() {
    let last = Number.NEGATIVE_INFINITY;
    let load = 0;
    let asked = 0;
    return {
      asked: () => asked,
      currentLoad: async () => {
        asked += 1;
        const slice = performance.now() - last;
        if (slice >= 200) {
          load = slice > 60_000 ? 1 : 95;
          last = performance.now();
        }
        return { currentLoad: load, cpus: Array.from({ length: 32 }) };
      },
      mem: async () => ({ total: 64 * GIB, available: 60 * GIB }),
    };
  }

  it('never shows the time since boot, nor the time while nobody looked', async () => {
    const system = driver();
    const sampler = createHardwareSampler(
      async () => system,
      async () => ({ memoryBytes: undefined, cpu: undefined }),
      wait,
    );
    const next = async () => {
      await wait(1_000);
      return (await sampler.sample()).cpu.usedShare;
    };
    expect(await next()).toBe(0.95);
    expect(await next()).toBe(0.95);
    expect(system.asked()).toBe(3);
    await wait(3_600_000);
    expect(await next()).toBe(0.95);
  });

  it('is of what the limits allow, where they are below the machine', async () => {
    const of = async (memoryBytes: number, cores: number) => {
      const sampler = createHardwareSampler(
        async () => driver(),
        async () => ({ memoryBytes, cpu: { cores, usage: undefined } }),
        wait,
      );
      const { cpu, ram } = await sampler.sample();
      return [cpu.cores, ram.totalBytes / GIB];
    };
    expect(await of(2 * GIB, 1.5)).toEqual([1.5, 2]);
    expect(await of(128 * GIB, 64)).toEqual([32, 64]);
  });
});

describe('bindingLimit', () => {
  const hardware = { cpu: { usedShare: 0.4, cores: 8 }, ram: { usedBytes: 4, totalBytes: 16 } };
  const load = { hardware, running: 4, limit: 4, waiting: [], waitingForSlots: 0 };

  it('names nothing while nothing waits, however busy the machine is', () => {
    expect(
      bindingLimit({ ...load, hardware: { ...hardware, cpu: { usedShare: 1, cores: 8 } } }),
    ).toBeUndefined();
  });

  const full = { cpu: { usedShare: 0.99, cores: 8 }, ram: { usedBytes: 15, totalBytes: 16 } };
  const busy = { ...full, ram: hardware.ram };
  const cap = { code: 'cap' as const, scope: 'machine' as const, limit: 4 };

  it('names the cap that holds jobs, and that a higher one would not help while the machine is full', () => {
    const waiting = [cap];
    expect(bindingLimit({ ...load, waiting })).toEqual({
      name: 'policy',
      why: 'the cap: 4 of 4 run, 1 waits',
    });
    expect(bindingLimit({ ...load, waiting, hardware: busy })).toEqual({
      name: 'policy',
      why: 'the cap: 4 of 4 run, 1 waits; 99 % of 8 cores is used, so a higher cap would not help now',
    });
    expect(bindingLimit({ ...load, waiting, hardware: full })?.why).toContain('94 % of memory is used');
  });

  it('names hardware only where jobs wait and say nothing else', () => {
    const waiting = [{ code: 'starting' as const }];
    expect(bindingLimit({ ...load, waiting })).toBeUndefined();
    expect(bindingLimit({ ...load, waiting, hardware: busy })?.name).toBe('cpu');
    expect(bindingLimit({ ...load, waiting, hardware: full })?.name).toBe('memory');
  });

  const related = { code: 'related' as const, jobId: 'a', ticketId: 'A', running: true };
  const depends = { code: 'depends-on' as const, jobId: 'a', ticketId: 'A', state: 'running' };
  const backoff = { code: 'backoff' as const, untilAt: 1, why: 'no slot' };
  it.each([
    [[related], '1 waits behind jobs that they conflict with'],
    [[depends, depends], '2 wait for what they depend on'],
    [[backoff, related], '1 waits behind jobs that they conflict with, 1 waits for a pause to end'],
    [
      [{ code: 'store-trouble' as const, why: 'the disk is full' }],
      'nothing can be recorded, so no job is started',
    ],
  ])('says what holds the queue where no cap does, however busy the machine is', (waiting, why) => {
    for (const each of [hardware, busy, full])
      expect(bindingLimit({ ...load, running: 1, waiting, hardware: each })).toEqual({ name: 'policy', why });
  });

  it('names slots while running jobs wait for them', () => {
    const waiting = [cap];
    expect(bindingLimit({ ...load, waiting, waitingForSlots: 2, hardware: busy })).toEqual({
      name: 'slots',
      why: '2 wait for a slot or an install',
    });
  });
});
