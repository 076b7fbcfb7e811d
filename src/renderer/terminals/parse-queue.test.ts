import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_MS } from '../../shared/typing-first.ts';
import type { Backlog, ParseTarget } from './backlog.ts';
import { ParseQueue } from './parse-queue.ts';

const encoder = new TextEncoder();
const untold = { outruns: false, parsed: () => undefined };

/** Parses when it is told to. */
class SlowTarget implements ParseTarget {
  readonly written: (Uint8Array | string)[] = [];
  #parsed: (() => void)[] = [];

  write(output: Uint8Array | string, parsed?: () => void): void {
    this.written.push(output);
    if (parsed) this.#parsed.push(parsed);
  }

  parse(): void {
    for (const parsed of this.#parsed.splice(0)) parsed();
  }

  get bytes(): number {
    return this.written.reduce((sum, each) => sum + each.length, 0);
  }
}

describe('ParseQueue', () => {
  let idle: (() => void)[];
  let visible: boolean;
  let queue: ParseQueue;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    idle = [];
    visible = true;
    queue = new ParseQueue({ later: (run) => idle.push(run), visible: () => visible });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const backlogOf = (target: ParseTarget): Backlog => queue.backlog(target);
  const beIdle = (): void => {
    for (const run of idle.splice(0)) run();
  };
  /** Until nothing waits any more. */
  const settle = (...targets: SlowTarget[]): void => {
    for (let quiet = 0; quiet < 3; ) {
      const before = targets.reduce((sum, target) => sum + target.bytes, 0);
      beIdle();
      for (const target of targets) target.parse();
      vi.advanceTimersByTime(16);
      quiet = targets.reduce((sum, target) => sum + target.bytes, 0) === before ? quiet + 1 : 0;
    }
  };

  it('lets an echo pass what floods have written', () => {
    const flooded = new SlowTarget();
    const typed = new SlowTarget();
    backlogOf(flooded).write(new Uint8Array(1_000_000).fill(0x61), untold);
    beIdle();
    const sofar = flooded.bytes;
    expect(sofar).toBeGreaterThan(0);
    expect(sofar).toBeLessThan(100_000);
    backlogOf(typed).write(encoder.encode('k'), untold);
    expect(typed.written).toEqual([encoder.encode('k')]);
    // One slice at a time, each behind whatever else the page has to do.
    beIdle();
    expect(flooded.bytes).toBe(sofar);
    flooded.parse();
    expect(flooded.bytes).toBe(sofar);
    beIdle();
    expect(flooded.bytes).toBeGreaterThan(sofar);
  });

  it('keeps the order of one terminal, its echo included', () => {
    const target = new SlowTarget();
    const backlog = backlogOf(target);
    const flood = new Uint8Array(50_000).map((_, index) => 0x61 + (index % 26));
    backlog.write(flood, untold);
    backlog.write(encoder.encode('end'), untold);
    settle(target);
    const all = target.written.flatMap((each) => [...(each as Uint8Array)]);
    expect(all).toEqual([...flood, ...encoder.encode('end')]);
  });

  it('lets no flood keep another one from the screen', () => {
    const targets = [new SlowTarget(), new SlowTarget(), new SlowTarget()];
    for (const target of targets) backlogOf(target).write(new Uint8Array(2_000_000).fill(0x61), untold);
    for (let turns = 0; turns < 60; turns += 1) {
      beIdle();
      for (const target of targets) target.parse();
    }
    for (const target of targets) {
      expect(target.bytes).toBeGreaterThan(0);
      expect(target.bytes).toBeLessThan(2_000_000);
    }
  });

  it('goes on with the others where a terminal is gone and never answers', () => {
    const gone = new SlowTarget();
    const left = new SlowTarget();
    const goneBacklog = backlogOf(gone);
    goneBacklog.write(new Uint8Array(100_000), untold);
    beIdle();
    backlogOf(left).write(new Uint8Array(100_000), untold);
    goneBacklog.clear();
    settle(left);
    expect(left.bytes).toBe(100_000);
    expect(gone.bytes).toBeLessThan(100_000);
  });

  it('shows floods that outrun the eye now and then, few at a time, and goes on with the rest', () => {
    const targets = Array.from({ length: 4 }, () => new SlowTarget());
    let parsed = 0;
    const sample = {
      outruns: true,
      parsed: () => {
        parsed += 1;
      },
    };
    for (const target of targets) backlogOf(target).write(new Uint8Array(2_000), sample);
    const shown = (): number => targets.filter((target) => target.bytes > 0).length;
    const turn = (): void => {
      beIdle();
      for (const target of targets) target.parse();
    };
    for (let turns = 0; turns < 10; turns += 1) turn();
    expect(shown()).toBe(2);
    vi.advanceTimersByTime(50);
    for (let turns = 0; turns < 10; turns += 1) turn();
    expect(shown()).toBe(4);
    expect(parsed).toBe(4);
  });

  it('parses nothing from a key to its echo', () => {
    const flooded = new SlowTarget();
    const typed = new SlowTarget();
    backlogOf(flooded).write(new Uint8Array(1_000_000), untold);
    beIdle();
    flooded.parse();
    const sofar = flooded.bytes;
    queue.typed();
    beIdle();
    flooded.parse();
    expect(flooded.bytes).toBe(sofar);
    backlogOf(typed).write(encoder.encode('k'), untold);
    typed.parse();
    beIdle();
    expect(flooded.bytes).toBeGreaterThan(sofar);
    // Nor does it wait for ever for an echo that does not come.
    queue.typed();
    flooded.parse();
    beIdle();
    const held = flooded.bytes;
    vi.advanceTimersByTime(ANSWER_MS);
    beIdle();
    expect(flooded.bytes).toBeGreaterThan(held);
  });

  it('hands less over at a time where parsing is slow', () => {
    const target = new SlowTarget();
    const backlog = backlogOf(target);
    backlog.write(new Uint8Array(1_000_000), untold);
    const sizes: number[] = [];
    for (let slices = 0; slices < 40; slices += 1) {
      const before = target.bytes;
      beIdle();
      sizes.push(target.bytes - before);
      vi.advanceTimersByTime(10);
      target.parse();
    }
    expect(sizes[0]).toBeGreaterThan(10_000);
    expect(sizes.at(-1)).toBeLessThan(4_000);
  });

  it('gives all that waits to a terminal at once where nobody looks at the page', () => {
    visible = false;
    const target = new SlowTarget();
    backlogOf(target).write(new Uint8Array(1_000_000), untold);
    beIdle();
    expect(target.bytes).toBe(1_000_000);
  });
});
