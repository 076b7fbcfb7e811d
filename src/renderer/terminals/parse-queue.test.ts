import headless from '@xterm/headless';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backlog, ParseTarget } from './backlog.ts';
import { keptLinesOf } from './kept-lines.ts';
import { ParseQueue } from './parse-queue.ts';

const encoder = new TextEncoder();
const untold = { taken: () => undefined };

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

type Terminal = InstanceType<typeof headless.Terminal>;

/** All that can be seen of a terminal: every line with its colours, and where the cursor is. */
function screenOf(terminal: Terminal): unknown {
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: buffer.length }, (_, y) => {
    const line = buffer.getLine(y);
    return Array.from({ length: terminal.cols }, (_unused, x) => {
      const cell = line?.getCell(x);
      return `${cell?.getChars()}/${cell?.getFgColor()}/${cell?.isBold()}`;
    }).join(' ');
  });
  return { lines, x: buffer.cursorX, y: buffer.cursorY, base: buffer.baseY };
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

  const backlogOf = (target: ParseTarget, keptLines = 100): Backlog =>
    queue.backlog(target, { keptLines: () => keptLines, convertEol: false });
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

  it('takes plain output off the hands of the server up to a bound, other output once it is parsed', () => {
    const target = new SlowTarget();
    const backlog = backlogOf(target, 1_000_000);
    let taken = 0;
    const piece = (text: string) => encoder.encode(text.repeat(64 * 1024));
    for (let count = 0; count < 100; count += 1)
      backlog.write(piece('x'), {
        taken: () => {
          taken += 1;
        },
      });
    expect(taken).toBe(20);
    let other = false;
    backlog.write(encoder.encode(`\x1b[2J${'x'.repeat(2000)}`), {
      taken: () => {
        other = true;
      },
    });
    expect(other).toBe(false);
    settle(target);
    expect(taken).toBe(100);
    expect(other).toBe(true);
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

  it('shows a flood that outruns the eye once a frame, and all of its end', () => {
    const target = new SlowTarget();
    const backlog = backlogOf(target, 1_000);
    const flood = encoder.encode('a line of output\r\n'.repeat(3_000));
    let parsed = 0;
    const told = {
      taken: () => undefined,
      parsed: () => {
        parsed += 1;
      },
    };
    for (let count = 0; count < 8; count += 1) backlog.write(flood, told);
    // What is left out depends on what the terminal was asked for before: the first slice tells.
    for (let slices = 0; slices < 2; slices += 1) {
      beIdle();
      target.parse();
    }
    const first = target.bytes;
    beIdle();
    expect(target.bytes).toBe(first);
    vi.advanceTimersByTime(16);
    beIdle();
    expect(target.bytes).toBeGreaterThan(first);
    settle(target);
    expect(parsed).toBe(8);
    // The last piece has lines enough by itself.
    expect(target.bytes).toBeGreaterThan(2 * 18_000);
    expect(target.bytes).toBeLessThan(3 * flood.length);
  });

  it('does not let a page that nobody looks at hold a flood, and gives it all to a terminal at once', () => {
    visible = false;
    const target = new SlowTarget();
    const backlog = backlogOf(target, 1_000);
    const flood = encoder.encode('a line of output\r\n'.repeat(3_000));
    let taken = 0;
    const told = {
      taken: () => {
        taken += 1;
      },
    };
    backlog.write(flood, told);
    beIdle();
    target.parse();
    expect(target.bytes).toBe(flood.length);
    for (let count = 0; count < 100; count += 1) backlog.write(flood, told);
    expect(taken).toBe(101);
    settle(target);
    expect(target.bytes).toBeLessThan(4 * flood.length);
  });

  it('leaves out only what nobody could have seen: the screen ends up the same', async () => {
    const word = fc.oneof(
      { weight: 2, arbitrary: fc.stringMatching(/^[ -~]{0,12}$/) },
      { weight: 1, arbitrary: fc.constantFrom('日本', '😀', 'é', '\t', '\b', '\r', '\n') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\x1b[31m', '\x1b[1m', '\x1b[0m', '\x1b[m', '\x1b[22;39m', '\x1b[38;5;9m'),
      },
    );
    const line = fc.array(word, { maxLength: 4 }).map((words) => `${words.join('')}\r\n`);
    const flood = fc.tuple(line, fc.integer({ min: 1, max: 60 })).map(([text, count]) => text.repeat(count));
    const other = fc.constantFrom(
      ...[
        '\x1b[2J',
        '\x1b[3;9r',
        '\x1b[r',
        '\x1b[5A',
        '\x1b[4h',
        '\x1b[?7l',
        '\x1b[?1049h',
        '\x1b[3',
        '\x1b[H',
      ],
    );
    const piece = fc.oneof(
      { weight: 8, arbitrary: flood },
      { weight: 1, arbitrary: fc.tuple(flood, other, line).map((texts) => texts.join('')) },
      { weight: 1, arbitrary: other },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 4, maxLength: 16 }), async (pieces) => {
        const options = {
          cols: 20,
          rows: 5,
          scrollback: 15,
          allowProposedApi: true,
          logLevel: 'off' as const,
        };
        const whole = new headless.Terminal(options);
        const passed = new headless.Terminal(options);
        const own = new ParseQueue({ later: (run) => queueMicrotask(run), visible: () => true });
        const backlog = own.backlog(passed, { keptLines: keptLinesOf(passed), convertEol: false });
        let parsed = 0;
        const told = {
          taken: () => undefined,
          parsed: () => {
            parsed += 1;
          },
        };
        for (const text of pieces) backlog.write(encoder.encode(text), told);
        whole.write(pieces.join(''), told.parsed);
        while (parsed <= pieces.length) await vi.advanceTimersByTimeAsync(16);
        // Also what comes behind it, in the colours that are left.
        for (const terminal of [passed, whole]) terminal.write('|', told.parsed);
        while (parsed < pieces.length + 3) await vi.advanceTimersByTimeAsync(16);
        expect(screenOf(passed)).toEqual(screenOf(whole));
        whole.dispose();
        passed.dispose();
      }),
      { numRuns: 400 },
    );
  });
});
