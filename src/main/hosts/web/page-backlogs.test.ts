import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ServerFrame } from '../../../shared/contract.ts';
import type { ServerTransport } from '../../../shared/rpc/transport.ts';
import { createPageBacklogs, type PageBacklogs } from './page-backlogs.ts';

const KB = 1024;
const LIMITS = { pageEvents: 200 * KB, allEvents: 400 * KB, allAnswers: 100 * KB };

/** A page that takes what it is given only when the test says so. */
function openPage(backlogs: PageBacklogs) {
  const sent: ServerFrame[] = [];
  const asked: unknown[] = [];
  let buffered = 0;
  let receive: (frame: unknown) => void = () => {};
  let drained = (): void => {};
  let gone = (): void => {};
  const transport: ServerTransport = {
    send(frame) {
      sent.push(frame);
      buffered += sizeOf(frame);
    },
    onFrame(listener) {
      receive = listener;
      return () => {};
    },
    onClose: () => () => {},
    close: () => {},
    bufferedBytes: () => buffered,
  };
  const page = {
    sent,
    asked,
    destroyed: false,
    get bufferedBytes() {
      return buffered;
    },
    take(bytes = buffered) {
      buffered -= bytes;
      if (buffered === 0) drained();
    },
    ask: (id: number) => receive({ type: 'request', id, name: 'app.snapshot', params: {} }),
    leave: () => gone(),
    bound: {} as ServerTransport,
  };
  page.bound = backlogs.bound(transport, {
    onDrain: (listener) => {
      drained = listener;
    },
    onGone: (listener) => {
      gone = listener;
    },
    destroy() {
      page.destroyed = true;
      buffered = 0;
      gone();
    },
  });
  page.bound.onFrame((frame) => asked.push((frame as { id?: unknown }).id));
  return page;
}

const sizeOf = (frame: ServerFrame): number =>
  ('payload' in frame ? frame.payload : (frame as { value: unknown }).value) as number;
const event = (seq: number, bytes: number): ServerFrame => ({
  type: 'event',
  seq,
  name: 'notice',
  payload: bytes,
});
const answer = (id: number, bytes: number): ServerFrame => ({ type: 'reply', id, ok: true, value: bytes });
const numbers = (frames: readonly ServerFrame[]) => frames.map((frame) => (frame as { seq?: number }).seq);

describe('events for a page that does not keep up', () => {
  test('are left out, and the last of them shows the gap once the page has taken the rest', () => {
    const page = openPage(createPageBacklogs(LIMITS));
    for (let seq = 1; seq <= 5; seq += 1) page.bound.send(event(seq, 150 * KB));
    expect(numbers(page.sent)).toEqual([1, 2]);
    page.take();
    expect(numbers(page.sent)).toEqual([1, 2, 5]);
    page.take();
    page.bound.send(event(6, KB));
    expect(numbers(page.sent)).toEqual([1, 2, 5, 6]);
  });

  test('are counted apart from an answer that is on its way', () => {
    const page = openPage(createPageBacklogs(LIMITS));
    page.bound.send(answer(1, 5000 * KB));
    page.bound.send(event(1, 150 * KB));
    page.take(1000 * KB);
    page.bound.send(event(2, KB));
    expect(numbers(page.sent)).toEqual([undefined, 1, 2]);
  });

  test('wait for all pages within one bound, however many there are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.record({ kb: fc.integer({ min: 1, max: 90 }), reads: fc.nat(6) }), { maxLength: 60 }),
        (count, steps) => {
          const backlogs = createPageBacklogs(LIMITS);
          const pages = Array.from({ length: count }, () => openPage(backlogs));
          for (const [index, { kb, reads }] of steps.entries()) {
            for (const page of pages) page.bound.send(event(index + 1, kb * KB));
            pages[reads]?.take();
            // Each may hold its share, and the one event that went beyond it.
            expect(backlogs.waitingBytes()).toBeLessThanOrEqual(LIMITS.allEvents + count * 90 * KB);
          }
          for (const page of pages) {
            page.take();
            page.take();
            expect(numbers(page.sent).at(-1)).toBe(steps.length === 0 ? undefined : steps.length);
          }
        },
      ),
    );
  });
});

describe('answers', () => {
  test('with a snapshot are made one after the other, while not too much waits', () => {
    const backlogs = createPageBacklogs(LIMITS);
    const [one, two, three] = [openPage(backlogs), openPage(backlogs), openPage(backlogs)];
    for (const page of [one, two, three]) page.ask(1);
    expect([one.asked, two.asked, three.asked]).toEqual([[1], [], []]);
    one.bound.send(answer(1, 80 * KB));
    expect(two.asked).toEqual([1]);
    two.bound.send(answer(1, 80 * KB));
    expect(three.asked).toEqual([]);
    two.take();
    expect(three.asked).toEqual([1]);
  });

  test('that a page no longer waits for hold up nobody', () => {
    const backlogs = createPageBacklogs(LIMITS);
    const [one, two, three] = [openPage(backlogs), openPage(backlogs), openPage(backlogs)];
    for (const page of [one, two, three]) page.ask(1);
    two.leave();
    one.leave();
    expect([two.asked, three.asked]).toEqual([[], [1]]);
  });

  test('that are asked for and not read end the page that holds most, not one that waits for its first', () => {
    const backlogs = createPageBacklogs(LIMITS);
    const [patient, greedy] = [openPage(backlogs), openPage(backlogs)];
    patient.bound.send(answer(1, 190 * KB));
    for (let id = 1; id <= 4; id += 1) greedy.bound.send(answer(id, 10 * KB));
    expect([patient.destroyed, greedy.destroyed]).toEqual([false, true]);
  });

  test('with snapshots that are asked for on and on end the page', () => {
    const page = openPage(createPageBacklogs(LIMITS));
    for (let id = 1; id <= 40; id += 1) page.ask(id);
    expect(page.destroyed).toBe(true);
  });
});
