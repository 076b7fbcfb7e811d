import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { STREAM_HIGH_BYTES } from '../../shared/contract.ts';
import { FlowBudget } from './flow-budget.ts';
import { OutputRing } from './output-ring.ts';
import { Viewer } from './viewer.ts';

const FRAME_BYTES = 64 * 1024;

describe('FlowBudget', () => {
  let budget: FlowBudget;
  beforeEach(() => {
    vi.useFakeTimers();
    budget = new FlowBudget();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function reader(options: { waiting: number }) {
    const ring = new OutputRing(4 * 1024 * 1024);
    ring.append(Buffer.alloc(options.waiting, 'x'));
    const got = { bytes: 0, unacknowledged: 0, ends: 0 };
    const source = {
      ring,
      ended: undefined as { exitCode: number | undefined } | undefined,
      taken: () => undefined,
    };
    const sink = {
      data(bytes: Uint8Array) {
        got.bytes += bytes.length;
        got.unacknowledged += bytes.length;
      },
      end() {
        got.ends += 1;
      },
    };
    const viewer = new Viewer(sink, source, budget);
    return {
      viewer,
      got,
      source,
      write(text: string) {
        ring.append(Buffer.from(text));
        viewer.offer();
      },
      answer() {
        const bytes = got.unacknowledged;
        got.unacknowledged = 0;
        viewer.acknowledge(bytes);
      },
    };
  }

  it('keeps what all readers together have in flight under the watermark and a frame', () => {
    const readers = Array.from({ length: 15 }, () => reader({ waiting: 1024 * 1024 }));
    for (const each of readers) each.viewer.offer();
    const inFlight = (): number => readers.reduce((sum, each) => sum + each.got.unacknowledged, 0);
    expect(inFlight()).toBeLessThan(STREAM_HIGH_BYTES + FRAME_BYTES);
    for (let turn = 0; turn < 200; turn += 1) {
      readers.find((each) => each.got.unacknowledged > 0)?.answer();
      expect(inFlight()).toBeLessThan(STREAM_HIGH_BYTES + FRAME_BYTES);
    }
    const amounts = readers.map((each) => each.got.bytes);
    // The first has a frame ahead, since it was alone at first.
    expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(3 * FRAME_BYTES);
  });

  it('lets an echo through while floods hold the whole budget', () => {
    const flood = reader({ waiting: 1024 * 1024 });
    flood.viewer.offer();
    const idle = reader({ waiting: 0 });
    idle.write('k');
    expect(idle.got.bytes).toBe(1);
  });

  it('takes the share of a reader that does not answer, and gives it no more than one frame until it does', () => {
    const hung = reader({ waiting: 1024 * 1024 });
    const other = reader({ waiting: 1024 * 1024 });
    hung.viewer.offer();
    other.viewer.offer();
    expect(other.got.bytes).toBe(0);
    vi.advanceTimersByTime(300);
    expect(other.got.bytes).toBeGreaterThan(0);
    const before = hung.got.bytes;
    for (let step = 0; step < 100; step += 1) {
      other.answer();
      hung.write('more');
      vi.advanceTimersByTime(100);
    }
    expect(hung.got.bytes).toBe(before);
    expect(other.got.bytes).toBe(1024 * 1024);
    hung.answer();
    expect(hung.got.bytes).toBeGreaterThan(before);
  });

  it('frees what a reader held that has gone, and ends a session once, after its last byte', () => {
    const gone = reader({ waiting: 1024 * 1024 });
    const stays = reader({ waiting: 100_000 });
    gone.viewer.offer();
    stays.viewer.offer();
    gone.viewer.detach();
    stays.source.ended = { exitCode: 0 };
    while (stays.got.ends === 0) stays.answer();
    expect(stays.got.bytes).toBe(100_000);
    stays.viewer.offer();
    stays.viewer.acknowledge(1);
    expect(stays.got.ends).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
