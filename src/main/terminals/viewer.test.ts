import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FlowBudget } from './flow-budget.ts';
import { HOLD_BYTES, OutputRing, RING_BYTES } from './output-ring.ts';
import { PIECE_BYTES, UnseenOutput } from './unseen-output.ts';
import { Viewer } from './viewer.ts';

const KEPT_LINES = 5_048;
const lines = (count: number, bytesEach = 100): Buffer =>
  Buffer.from(`${'x'.repeat(bytesEach - 2)}\r\n`.repeat(count));

describe('Viewer of a flood', () => {
  let ring: OutputRing;
  let unseen: UnseenOutput;
  let frames: { bytes: number; skipped: number; passedOver: number | undefined }[];
  let source: {
    ring: OutputRing;
    unseen: UnseenOutput;
    ended: { exitCode: number } | undefined;
    taken(): void;
  };
  let viewer: Viewer;
  let answered: number;
  beforeEach(() => {
    vi.useFakeTimers();
    ring = new OutputRing(RING_BYTES);
    unseen = new UnseenOutput(false);
    frames = [];
    answered = 0;
    source = { ring, unseen, ended: undefined, taken: () => undefined };
    const sink = {
      data: (bytes: Uint8Array, skipped: number, passedOver?: number) =>
        void frames.push({ bytes: bytes.length, skipped, passedOver }),
      end: () => undefined,
    };
    viewer = new Viewer(sink, source, new FlowBudget());
  });
  afterEach(() => {
    viewer.detach();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  const print = (bytes: Buffer): void => {
    for (let from = 0; from < bytes.length; from += 64 * 1024) {
      const part = bytes.subarray(from, from + 64 * 1024);
      unseen.add(part, ring.end);
      viewer.grows();
      ring.append(part);
      unseen.trim(ring.start);
      viewer.offer();
    }
  };
  /** The reader has parsed all that it got. */
  const answer = (keptLines: number | 'unknown' = KEPT_LINES): void => {
    const got = frames.slice(answered).reduce((sum, { bytes }) => sum + bytes, 0);
    answered = frames.length;
    viewer.acknowledge(got, keptLines === 'unknown' ? undefined : keptLines);
  };
  const accounted = (): number =>
    frames.reduce((sum, { bytes, passedOver = 0 }) => sum + bytes + passedOver, 0);
  const settle = (): void => {
    for (let before = -1; before !== frames.length; ) {
      before = frames.length;
      answer();
      vi.advanceTimersByTime(50);
    }
  };

  it('sends a piece for each answer while the flood outruns the eye, and all that can be seen of its end', () => {
    print(lines(10));
    answer();
    const before = frames.length;
    for (let count = 0; count < 200; count += 1) {
      print(lines(1_000));
      vi.advanceTimersByTime(4);
      if (count % 4 === 0) answer();
    }
    const shown = frames.slice(before + 4);
    expect(shown.every(({ passedOver }) => passedOver !== undefined)).toBe(true);
    expect(Math.max(...shown.map(({ bytes }) => bytes))).toBeLessThanOrEqual(PIECE_BYTES);
    expect(shown.length).toBeLessThanOrEqual(50);
    const sofar = frames.length;
    settle();
    const end = frames.slice(sofar).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(end).toBeGreaterThan((KEPT_LINES - 1_000) * 100);
    expect(frames.every(({ skipped }) => skipped === 0)).toBe(true);
    expect(accounted()).toBe(ring.end);
  });

  it('passes nothing over before the reader has dealt with what is more than plain', () => {
    print(lines(10));
    answer();
    print(Buffer.concat([Buffer.from('\u001b[5;9r'), lines(20)]));
    print(lines(6_000));
    expect(frames.every(({ passedOver = 0 }) => passedOver === 0)).toBe(true);
    // It has set a scroll region.
    answer('unknown');
    print(lines(200));
    expect(frames.every(({ passedOver = 0 }) => passedOver === 0)).toBe(true);
    answer();
    print(lines(6_000));
    answer();
    expect(frames.some(({ passedOver = 0 }) => passedOver > 0)).toBe(true);
  });

  it('sends all of it, as fast as the reader takes it, where its lines are too long to keep enough of them', () => {
    print(lines(10));
    answer();
    for (let count = 0; count < 40; count += 1) {
      print(lines(100, 1_000));
      while (viewer.backlogBytes > HOLD_BYTES) answer();
    }
    expect(frames.every(({ passedOver }) => passedOver === undefined)).toBe(true);
    settle();
    expect(accounted()).toBe(ring.end);
  });

  it('sends the end of what has ended at once', () => {
    print(lines(10));
    answer();
    print(lines(6_000));
    source.ended = { exitCode: 0 };
    viewer.offer();
    for (let before = -1; before !== frames.length; ) {
      before = frames.length;
      answer();
    }
    expect(accounted()).toBe(ring.end);
  });

  it('knows when all of it is on the screen', () => {
    expect(viewer.upToDate).toBe(true);
    print(lines(1));
    expect(viewer.upToDate).toBe(false);
    answer();
    expect(viewer.upToDate).toBe(true);
  });
});
