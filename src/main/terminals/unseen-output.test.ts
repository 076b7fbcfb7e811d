import headless from '@xterm/headless';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keptLinesOf } from '../../shared/kept-lines.ts';
import { FlowBudget } from './flow-budget.ts';
import { OutputRing } from './output-ring.ts';
import { PIECE_BYTES, UnseenOutput } from './unseen-output.ts';
import { Viewer } from './viewer.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const LINE = 'a line of output\r\n';

describe('UnseenOutput', () => {
  let unseen: UnseenOutput;
  let end: number;
  beforeEach(() => {
    unseen = new UnseenOutput(false);
    end = 0;
  });
  const add = (text: string): void => {
    const bytes = bytesOf(text);
    unseen.add(bytes, end);
    end += bytes.length;
  };

  it('passes over what has more lines behind it than are kept', () => {
    for (let count = 0; count < 10; count += 1) add(LINE.repeat(1_000));
    const passable = unseen.passable(0, 5_000);
    expect(passable?.to).toBeGreaterThan(0);
    expect(end - (passable?.to ?? 0)).toBeGreaterThan(5_000 * LINE.length);
    expect(end - (passable?.to ?? 0)).toBeLessThan(5_000 * LINE.length + 2 * PIECE_BYTES);
    expect(unseen.passable(0, 10_000)).toBeUndefined();
  });

  it('keeps the colours that hold behind it', () => {
    add(`\u001b[1m\u001b[31m${LINE.repeat(2_000)}`);
    add(`\u001b[0m\u001b[32m${LINE.repeat(2_000)}`);
    add(LINE.repeat(2_000));
    expect([...(unseen.passable(0, 1_000)?.style ?? [])]).toEqual(['\u001b[0m', '\u001b[32m']);
  });

  it('begins anew behind what is more than plain, and behind what may end a sequence that was cut off', () => {
    add(LINE.repeat(5_000));
    add('\u001b[2');
    add('J');
    add(LINE);
    const from = end;
    add(LINE.repeat(5_000));
    expect(unseen.passable(0, 100)).toBeUndefined();
    expect(unseen.plainFrom).toBe(from);
    expect(unseen.passable(from, 100)?.to).toBeGreaterThan(from);
  });

  it('jumps from where it knows nothing to be cut, and says how to get there', () => {
    for (let count = 0; count < 10; count += 1) add(LINE.repeat(1_000));
    expect(unseen.passable(1, 100)).toBeUndefined();
    const bytes = unseen.readableBytes(1, 64 * 1024);
    expect(bytes).toBeLessThanOrEqual(64 * 1024);
    expect(unseen.passable(1 + bytes, 100)?.to).toBeGreaterThan(1 + bytes);
  });

  it('forgets what is gone', () => {
    for (let count = 0; count < 10; count += 1) add(LINE.repeat(1_000));
    unseen.trim(end - 1);
    expect(unseen.linesFrom(0)).toBeLessThanOrEqual(2 * Math.ceil(PIECE_BYTES / LINE.length));
  });
});

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

describe('a terminal that is not sent what it could not show', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const word = fc.oneof(
    { weight: 2, arbitrary: fc.stringMatching(/^[ -~]{0,12}$/) },
    { weight: 1, arbitrary: fc.constantFrom('日本', '😀', 'é', '\t', '\b', '\r', '\n') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '\u001b[31m',
        '\u001b[1m',
        '\u001b[0m',
        '\u001b[m',
        '\u001b[22;39m',
        '\u001b[38;5;9m',
      ),
    },
  );
  const line = fc.array(word, { maxLength: 4 }).map((words) => `${words.join('')}\r\n`);
  const flood = fc.tuple(line, fc.integer({ min: 1, max: 60 })).map(([text, count]) => text.repeat(count));
  const other = fc.constantFrom(
    ...['[2J', '[3;9r', '[r', '[5A', '[4h', '[?7l', '[?1049h', '[?1049l', '[3', '[', '', '[H'].map(
      (sequence) => `\u001b${sequence}`,
    ),
  );
  const piece = fc.oneof(
    { weight: 8, arbitrary: flood },
    { weight: 1, arbitrary: fc.tuple(flood, other, line).map((texts) => texts.join('')) },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: fc.constantFrom('1', ';', '5', '1;3', 'm') },
  );

  it('looks as if it had been', async () => {
    let passedBytes = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(piece, fc.boolean()), { minLength: 4, maxLength: 20 }),
        async (steps) => {
          const options = {
            cols: 20,
            rows: 5,
            scrollback: 15,
            allowProposedApi: true,
            logLevel: 'off' as const,
          };
          const whole = new headless.Terminal(options);
          const passed = new headless.Terminal(options);
          const keptLines = keptLinesOf(passed);
          const ring = new OutputRing(1024 * 1024);
          const unseen = new UnseenOutput(false, 200);
          const source = { ring, unseen, ended: undefined, taken: () => undefined };
          const waiting: Uint8Array[] = [];
          let got = 0;
          const sink = {
            data(bytes: Uint8Array, _skipped: number, passedOver = 0) {
              waiting.push(bytes);
              got += bytes.length + passedOver;
              passedBytes += passedOver;
            },
            end: () => undefined,
          };
          // One frame on its way: then there is always something to pass over.
          const viewer = new Viewer(sink, source, new FlowBudget(1));
          const parse = async (): Promise<void> => {
            const bytes = waiting.shift();
            if (!bytes) return;
            const parsed = new Promise<void>((resolve) => passed.write(bytes, resolve));
            await vi.advanceTimersByTimeAsync(1);
            await parsed;
            viewer.acknowledge(bytes.length, keptLines());
          };
          for (const [text, parses] of steps) {
            const bytes = bytesOf(text);
            if (bytes.length > 0) {
              unseen.add(bytes, ring.end);
              viewer.grows();
              ring.append(bytes);
              viewer.offer();
            }
            if (parses) await parse();
          }
          while (waiting.length > 0) await parse();
          viewer.detach();
          expect(got).toBe(ring.end);
          // Also what comes behind it, in the colours that are left.
          const done = Promise.all([
            new Promise<void>((resolve) => passed.write('|', resolve)),
            new Promise<void>((resolve) => whole.write(`${steps.map(([text]) => text).join('')}|`, resolve)),
          ]);
          await vi.advanceTimersByTimeAsync(1);
          await done;
          expect(screenOf(passed)).toEqual(screenOf(whole));
          whole.dispose();
          passed.dispose();
        },
      ),
      { numRuns: 400 },
    );
    expect(passedBytes).toBeGreaterThan(10_000);
  });
});
