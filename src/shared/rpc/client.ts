import {
  type AnyEvent,
  type ClientFrame,
  events,
  type RequestName,
  type RequestParams,
  type RequestResult,
  type ServerFrame,
} from '../contract.ts';
import { ERROR_CODES, type ErrorCode, fromPlainError, HeadwayError } from '../errors.ts';
import { MAX_INPUT_BYTES } from './client-frame.ts';
import { createListeners } from './listeners.ts';
import { globalTimers, type Timers } from './timers.ts';
import type { ClientTransport } from './transport.ts';

export type ClientStatus = 'connecting' | 'open' | 'closed';

export interface SessionHandlers {
  /**
   * `skipped` > 0: that many bytes before these are no longer kept. `passedOver`: the output outruns the eye, and so many were
   * left out as the reader allowed. `answers`: what these bytes ask a terminal is to be answered here; else it must not be.
   */
  data(bytes: Uint8Array, skipped: number, passedOver: number | undefined, answers: boolean): void;
  /** `error` is set where the session could not be opened. */
  end(exitCode: number | undefined, error: string | undefined): void;
}

export interface SessionStream {
  /**
   * Says that so many bytes have been dealt with; without it the session's program pauses. `keptLines`: of plain output that
   * follows, what has more lines of such output behind it may be left out; undefined takes that back.
   */
  ack(bytes: number, keptLines?: number): void;
  close(): void;
}

export interface HeadwayClient {
  /**
   * Rejects with the engine's HeadwayError, or with code `unavailable` where the connection is lost before the
   * answer or is down. Requests made before the first connection wait for it
   * and fail with it.
   */
  request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>>;
  onEvent(listener: (event: AnyEvent) => void): () => void;
  /**
   * A stream lives as long as one connection: after a loss nothing more is heard of it, and the caller opens a
   * new one at the next status `open`. Opened while not connected, it waits for the connection.
   */
  openSession(sessionId: string, handlers: SessionHandlers): SessionStream;
  /** Typed input; dropped while not connected, since a key that arrives much later does harm. */
  input(sessionId: string, bytes: Uint8Array): void;
  /**
   * Calls the listener at once with the present status, then at each change. `closed` means lost, or ended by `close`; `why`: what
   * Headway said when it ended the connection.
   */
  onStatus(listener: (status: ClientStatus, why?: string) => void): () => void;
  close(): void;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;

/** Pure: delay before the n-th try to reconnect, counted from 0. */
export function retryDelayMs(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(tries, 10), LAST_RETRY_MS);
}

type Pending = { resolve(value: unknown): void; reject(error: Error): void };

/** A client that connects at once and reconnects until `close`. */
export function createClient(
  connect: () => Promise<ClientTransport>,
  options: { timers?: Timers } = {},
): HeadwayClient {
  const timers = options.timers ?? globalTimers;
  const eventListeners = createListeners<[AnyEvent]>();
  const statusListeners = createListeners<[ClientStatus, string?]>();
  const pending = new Map<number, Pending>();
  const streams = new Map<number, SessionHandlers>();
  let waiting: ClientFrame[] = [];
  let transport: ClientTransport | undefined;
  let status: ClientStatus = 'connecting';
  let lostOnce = false;
  let ended = false;
  let tries = 0;
  let retryTimer: unknown;
  let lastId = 0;

  const setStatus = (next: ClientStatus, why?: string): void => {
    if (status === next) return;
    status = next;
    statusListeners.emit(next, why);
  };

  const failPending = (message: string): void => {
    const failed = [...pending.values()];
    pending.clear();
    for (const { reject } of failed) reject(new HeadwayError('unavailable', message));
  };

  const lose = (why?: string): void => {
    transport = undefined;
    lostOnce = true;
    waiting = [];
    streams.clear();
    failPending('The connection to Headway was lost; it may or may not have been done.');
    setStatus('closed', why);
    if (ended) return;
    retryTimer = timers.setTimeout(() => void start(), retryDelayMs(tries));
    tries += 1;
  };

  const start = async (): Promise<void> => {
    setStatus('connecting');
    let next: ClientTransport;
    try {
      next = await connect();
    } catch {
      if (!ended) lose();
      return;
    }
    if (ended) {
      next.close();
      return;
    }
    transport = next;
    tries = 0;
    next.onFrame(receive);
    next.onClose(() => {
      if (transport === next) lose(next.closeReason?.());
    });
    // The socket may have closed between its opening and now.
    if (transport !== next) return;
    const frames = waiting;
    waiting = [];
    for (const frame of frames) next.send(frame);
    setStatus('open');
  };

  const receive = (frame: ServerFrame | undefined): void => {
    if (typeof frame !== 'object' || frame === null) return;
    switch (frame.type) {
      case 'reply':
        settle(frame);
        return;
      case 'event':
        if (Object.hasOwn(events, frame.name) && Number.isSafeInteger(frame.seq)) {
          eventListeners.emit({ name: frame.name, payload: frame.payload, seq: frame.seq } as AnyEvent);
        }
        return;
      case 'data':
        streams
          .get(frame.stream)
          ?.data(frame.bytes, frame.skipped ?? 0, frame.passedOver, frame.answers ?? false);
        return;
      case 'end': {
        const handlers = streams.get(frame.stream);
        streams.delete(frame.stream);
        handlers?.end(frame.exitCode, frame.error);
        return;
      }
      default:
        frame satisfies never;
    }
  };

  const settle = (frame: Extract<ServerFrame, { type: 'reply' }>): void => {
    const request = pending.get(frame.id);
    if (!request) return;
    pending.delete(frame.id);
    if (!frame.ok) {
      const code = (ERROR_CODES as readonly string[]).includes(frame.error.code)
        ? (frame.error.code as ErrorCode)
        : 'internal';
      request.reject(fromPlainError({ ...frame.error, code }));
    } else if (typeof frame.value === 'object' && frame.value !== null) {
      request.resolve(frame.value);
    } else {
      // Every result of the contract is an object. The engine of the same version made it, so no more is checked.
      request.reject(new HeadwayError('internal', 'Headway sent an answer of an unknown shape.'));
    }
  };

  const send = (frame: ClientFrame): void => {
    if (transport) transport.send(frame);
    else if (!ended) waiting.push(frame);
  };

  void start();

  return {
    request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>> {
      if (ended || (lostOnce && !transport)) {
        return Promise.reject(new HeadwayError('unavailable', 'Headway is not connected.'));
      }
      return new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve: (value) => resolve(value as RequestResult<N>), reject });
        send({ type: 'request', id: lastId, name, params });
      });
    },
    onEvent: (listener) => eventListeners.add(listener),
    openSession(sessionId, handlers) {
      lastId += 1;
      const stream = lastId;
      streams.set(stream, handlers);
      send({ type: 'open', stream, sessionId });
      return {
        ack(bytes, keptLines) {
          if (!streams.has(stream) || bytes === 0) return;
          send({ type: 'ack', stream, bytes, ...(keptLines === undefined ? {} : { keptLines }) });
        },
        close() {
          waiting = waiting.filter((frame) => !(frame.type === 'open' && frame.stream === stream));
          if (streams.delete(stream)) transport?.send({ type: 'close', stream });
        },
      };
    },
    input(sessionId, bytes) {
      for (let from = 0; from < bytes.byteLength; from += MAX_INPUT_BYTES) {
        transport?.send({ type: 'input', sessionId, bytes: bytes.subarray(from, from + MAX_INPUT_BYTES) });
      }
    },
    onStatus(listener) {
      const remove = statusListeners.add(listener);
      listener(status);
      return remove;
    },
    close() {
      if (ended) return;
      ended = true;
      timers.clearTimeout(retryTimer);
      const last = transport;
      transport = undefined;
      streams.clear();
      waiting = [];
      last?.close();
      failPending('The connection to Headway was closed.');
      setStatus('closed');
    },
  };
}
