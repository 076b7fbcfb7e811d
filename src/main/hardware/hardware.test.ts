import { describe, expect, it } from 'vitest';
import { bindingLimit } from './binding-limit.ts';
import { controlGroupFiles, parseLimit } from './memory-limit.ts';

describe('memory limits', () => {
  it('reads a limit and ignores the spellings of no limit', () => {
    expect(parseLimit('536870912\n')).toBe(536870912);
    expect(parseLimit('max\n')).toBeUndefined();
    expect(parseLimit('9223372036854771712')).toBeUndefined();
    expect(parseLimit('')).toBeUndefined();
  });

  it('looks at every control group on the way up, in both versions', () => {
    expect(controlGroupFiles('0::/user.slice/app\n')).toEqual([
      '/sys/fs/cgroup/user.slice/app/memory.max',
      '/sys/fs/cgroup/user.slice/memory.max',
      '/sys/fs/cgroup/memory.max',
    ]);
    expect(controlGroupFiles('5:cpu,memory:/docker/x\n4:pids:/docker/x\n')).toEqual([
      '/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes',
      '/sys/fs/cgroup/memory/docker/memory.limit_in_bytes',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    ]);
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

  it('names memory before the processor before policy', () => {
    const waiting = [{ code: 'cap' as const, scope: 'machine' as const, limit: 4 }];
    const full = { cpu: { usedShare: 0.99, cores: 8 }, ram: { usedBytes: 15, totalBytes: 16 } };
    expect(bindingLimit({ ...load, waiting, hardware: full })?.name).toBe('memory');
    expect(bindingLimit({ ...load, waiting, hardware: { ...full, ram: hardware.ram } })?.name).toBe('cpu');
    expect(bindingLimit({ ...load, waiting })).toEqual({
      name: 'policy',
      why: 'the cap: 4 of 4 run, 1 wait',
    });
  });

  it('says that paths hold the queue where no cap does', () => {
    const waiting = [{ code: 'related' as const, jobId: 'a', ticketId: 'A', running: true }];
    expect(bindingLimit({ ...load, running: 1, waiting })?.why).toBe(
      '1 wait behind jobs that they conflict with',
    );
  });
});
