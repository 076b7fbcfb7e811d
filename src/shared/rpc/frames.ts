import type { ClientFrame, ServerFrame } from '../contract.ts';

/**
 * Frames on a WebSocket. Text messages are control frames in JSON. Binary messages carry terminal bytes:
 *   server → client, data:  stream id, skipped, passed over plus 1 or 0 (4 bytes each, big endian), answers (1 byte), bytes
 *   client → server, input: length of the session id (1 byte), session id (ASCII), bytes
 */
export type WireMessage = string | Uint8Array;

const DATA_HEADER_BYTES = 13;
const MAX_UINT32 = 0xffff_ffff;

/** Events as they are sent: one text for all pages, however many wait for it. */
const texts = new WeakMap<ServerFrame, string>();

function eventText(frame: ServerFrame): string {
  const text = texts.get(frame) ?? JSON.stringify(frame);
  texts.set(frame, text);
  return text;
}

export function encodeServerFrame(frame: ServerFrame): WireMessage {
  if (frame.type === 'event') return eventText(frame);
  if (frame.type !== 'data') return JSON.stringify(frame);
  const message = new Uint8Array(DATA_HEADER_BYTES + frame.bytes.byteLength);
  const view = new DataView(message.buffer);
  view.setUint32(0, frame.stream);
  view.setUint32(4, Math.min(frame.skipped ?? 0, MAX_UINT32));
  view.setUint32(8, frame.passedOver === undefined ? 0 : Math.min(frame.passedOver + 1, MAX_UINT32));
  view.setUint8(12, frame.answers ? 1 : 0);
  message.set(frame.bytes, DATA_HEADER_BYTES);
  return message;
}

/** Undefined where the message is no frame. The bytes of a data frame are a view of the message. */
export function decodeServerFrame(message: WireMessage): ServerFrame | undefined {
  if (typeof message === 'string') return parseJson(message) as ServerFrame | undefined;
  if (message.byteLength < DATA_HEADER_BYTES) return undefined;
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const passedOver = view.getUint32(8);
  return {
    type: 'data',
    stream: view.getUint32(0),
    skipped: view.getUint32(4),
    ...(passedOver > 0 ? { passedOver: passedOver - 1 } : {}),
    ...(view.getUint8(12) > 0 ? { answers: true } : {}),
    bytes: message.subarray(DATA_HEADER_BYTES),
  };
}

export function encodeClientFrame(frame: ClientFrame): WireMessage {
  if (frame.type !== 'input') return JSON.stringify(frame);
  const { sessionId, bytes } = frame;
  const message = new Uint8Array(1 + sessionId.length + bytes.byteLength);
  message[0] = sessionId.length;
  for (let index = 0; index < sessionId.length; index += 1) {
    message[1 + index] = sessionId.charCodeAt(index);
  }
  message.set(bytes, 1 + sessionId.length);
  return message;
}

/** Undefined where the message is no frame; what a text message holds is for `parseClientFrame` to judge. */
export function decodeClientFrame(message: WireMessage): unknown {
  if (typeof message === 'string') return parseJson(message);
  const idLength = message[0];
  if (idLength === undefined || message.byteLength < 1 + idLength) return undefined;
  const sessionId = String.fromCharCode(...message.subarray(1, 1 + idLength));
  return { type: 'input', sessionId, bytes: message.subarray(1 + idLength) };
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
