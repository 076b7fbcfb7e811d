import { describe, expect, test } from 'vitest';
import { MAX_INPUT_BYTES, parseClientFrame } from './client-frame.ts';
import { decodeClientFrame, decodeServerFrame, encodeClientFrame, encodeServerFrame } from './frames.ts';

const bytes = Uint8Array.of(0, 255, 10, 13, 27, 128);

describe('frames on a WebSocket', () => {
  test('terminal bytes travel in binary and come back as they were', () => {
    const frame = { type: 'data', stream: 0xffff_fffe, skipped: 70_000, bytes } as const;
    expect(decodeServerFrame(encodeServerFrame(frame))).toEqual(frame);
    for (const passedOver of [0, 5_000_000]) {
      expect(decodeServerFrame(encodeServerFrame({ ...frame, passedOver }))).toEqual({
        ...frame,
        passedOver,
      });
    }
    expect(decodeServerFrame(encodeServerFrame({ ...frame, answers: true }))).toEqual({
      ...frame,
      answers: true,
    });
    const input = { type: 'input', sessionId: 'session-1', bytes } as const;
    expect(decodeClientFrame(encodeClientFrame(input))).toEqual(input);
  });

  test('a message that lies inside a larger buffer is read at its own offset', () => {
    const message = encodeServerFrame({ type: 'data', stream: 7, bytes }) as Uint8Array;
    const padded = new Uint8Array(message.byteLength + 10);
    padded.set(message, 5);
    expect(decodeServerFrame(padded.subarray(5, 5 + message.byteLength))).toEqual({
      type: 'data',
      stream: 7,
      skipped: 0,
      bytes,
    });
  });

  test('control frames travel as JSON', () => {
    const frame = { type: 'request', id: 1, name: 'app.snapshot', params: {} } as const;
    expect(JSON.parse(encodeClientFrame(frame) as string)).toEqual(frame);
    expect(decodeClientFrame(encodeClientFrame(frame))).toEqual(frame);
    const end = { type: 'end', stream: 1, exitCode: 0 } as const;
    expect(decodeServerFrame(encodeServerFrame(end))).toEqual(end);
  });

  test('an event is written out once for all connections', () => {
    let written = 0;
    const payload = {
      toJSON: () => {
        written += 1;
        return {};
      },
    };
    const frame = { type: 'event', seq: 1, name: 'notice', payload } as const;
    expect(encodeServerFrame(frame)).toBe(encodeServerFrame(frame));
    expect(written).toBe(1);
  });

  test.each([
    ['no JSON', '{'],
    ['JSON that is no object', '17'],
    ['JSON null', 'null'],
    ['an empty binary message', new Uint8Array(0)],
    ['an id longer than its message', Uint8Array.of(9, 97)],
  ])('%s is no client frame', (_what, message) => {
    expect(decodeClientFrame(message)).toBeUndefined();
  });

  test('a data message without its header is no server frame', () => {
    expect(decodeServerFrame(new Uint8Array(12))).toBeUndefined();
  });
});

describe('what a client may send', () => {
  test('input up to the limit is taken, one byte more is refused', () => {
    const input = (size: number) => ({ type: 'input', sessionId: 's', bytes: new Uint8Array(size) });
    expect(parseClientFrame(input(MAX_INPUT_BYTES))).toBeDefined();
    expect(parseClientFrame(input(MAX_INPUT_BYTES + 1))).toBeUndefined();
  });

  test.each([
    [{ type: 'input', sessionId: 's', bytes: [1, 2, 3] }],
    [{ type: 'input', sessionId: 's'.repeat(256), bytes }],
    [{ type: 'ack', stream: 1, bytes: 1.5 }],
    [{ type: 'ack', stream: 1, bytes: 1, keptLines: -1 }],
    [{ type: 'open', stream: 0, sessionId: 's' }],
    [{ type: 'request', id: 'one', name: 'app.snapshot' }],
    [{ type: 'request', id: 1, name: 'x'.repeat(101) }],
    [undefined],
  ])('%j is refused', (frame) => {
    expect(parseClientFrame(frame)).toBeUndefined();
  });
});
