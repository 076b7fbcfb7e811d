import type { z } from 'zod';
import {
  type AnyEvent,
  type ClientFrame,
  type RequestName,
  type RequestResult,
  requests,
  type ServerFrame,
} from '../contract.ts';
import { HeadwayError, toPlainError } from '../errors.ts';
import { requestProblem } from '../request-problem.ts';
import { parseClientFrame } from './client-frame.ts';
import type { ServerTransport } from './transport.ts';

/** Who asks: a window over IPC, a page over a WebSocket, a program over HTTP, or this process itself. */
export type Caller = {
  kind: 'window' | 'page' | 'http' | 'in-process';
  /** The connection it came by, where that stays open: the `page` of `Api.attach`. */
  page?: object;
};

export type Handlers = {
  [N in RequestName]: (
    params: z.output<(typeof requests)[N]['params']>,
    caller: Caller,
  ) => Promise<RequestResult<N>> | RequestResult<N>;
};

/**
 * Where a session's output goes. `skipped` counts bytes before `bytes` that are no longer kept. `passedOver` is set for output
 * that outruns the eye, of which some is shown now and then: so many bytes are left out that the reader's terminal would no
 * longer have (see `ack`); colours they left behind stand at the beginning of `bytes`. `answers`: what a program asks its
 * terminal in these bytes is this reader's to answer, and nobody else's; without it nothing may be answered.
 */
export interface SessionSink {
  data(bytes: Uint8Array, skipped: number, passedOver?: number, answers?: boolean): void;
  end(exitCode: number | undefined): void;
}

/** One reader of a session. The session counts what the reader has not acknowledged and pauses its program. */
export interface SessionAttachment {
  /** `keptLines`: plain output with more lines of such output behind it may be left out. */
  ack(bytes: number, keptLines?: number): void;
  detach(): void;
}

/** What an engine offers to its hosts. */
export interface Api {
  handlers: Handlers;
  onEvent(listener: (event: AnyEvent) => void): () => void;
  /**
   * Throws a HeadwayError `not-found` for an unknown session. May write to the sink before it returns. `page`, whatever
   * object: sinks of one page have one thread, and share what may be on its way to them.
   */
  attach(sessionId: string, sink: SessionSink, page: object): SessionAttachment;
  /** `page`: where it was typed, as for `attach`. */
  input(sessionId: string, bytes: Uint8Array, page?: object): void;
}

export interface ServeOptions {
  caller: Caller;
  maxStreams?: number;
  maxPendingRequests?: number;
}

const DEFAULTS = { maxStreams: 256, maxPendingRequests: 256 };

/**
 * Parses the params with the contract's schema and runs the handler.
 * Throws `not-found` for an unknown name, `bad-input` naming the field, or what the handler throws.
 */
export async function callHandler(api: Api, name: string, params: unknown, caller: Caller): Promise<unknown> {
  if (!Object.hasOwn(requests, name)) throw new HeadwayError('not-found', `There is no request '${name}'.`);
  const known = name as RequestName;
  const parsed = parseRequest(known, params);
  const handler = api.handlers[known] as (params: unknown, caller: Caller) => unknown;
  return await handler(parsed, caller);
}

/** What a request takes, or `bad-input` that names the field. */
export function parseRequest<N extends RequestName>(
  name: N,
  params: unknown,
): z.output<(typeof requests)[N]['params']> {
  const parsed = requests[name].params.safeParse(params);
  if (parsed.success) return parsed.data as z.output<(typeof requests)[N]['params']>;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') || 'params';
  throw new HeadwayError('bad-input', requestProblem(name, issue, params), { data: { field } });
}

const frames = new WeakMap<AnyEvent, ServerFrame>();

/** The same frame for every connection, so that a transport writes it out once. */
function frameOf(event: AnyEvent): ServerFrame {
  const frame = frames.get(event) ?? { type: 'event', ...event };
  frames.set(event, frame);
  return frame;
}

/** Serves one connection until it closes. Returns a function that ends it; all it holds is released either way. */
export function serveConnection(transport: ServerTransport, api: Api, options: ServeOptions): () => void {
  const limits = { ...DEFAULTS, ...options };
  const streams = new Map<number, Stream>();
  const page = {};
  const caller: Caller = { ...options.caller, page };
  let pendingRequests = 0;
  let open = true;

  const send = (frame: ServerFrame): void => {
    if (open) transport.send(frame);
  };

  const answer = async (frame: Extract<ClientFrame, { type: 'request' }>): Promise<void> => {
    if (pendingRequests >= limits.maxPendingRequests) {
      const error = { code: 'busy', message: 'Too many requests at once.', data: { retryAfterMs: 100 } };
      send({ type: 'reply', id: frame.id, ok: false, error });
      return;
    }
    pendingRequests += 1;
    try {
      const value = await callHandler(api, frame.name, frame.params, caller);
      send({ type: 'reply', id: frame.id, ok: true, value });
    } catch (thrown) {
      send({ type: 'reply', id: frame.id, ok: false, error: toPlainError(thrown) });
    } finally {
      pendingRequests -= 1;
    }
  };

  const receive = (frame: ClientFrame): void => {
    switch (frame.type) {
      case 'request':
        void answer(frame);
        return;
      case 'open':
        if (streams.has(frame.stream)) transport.close();
        else if (streams.size >= limits.maxStreams) {
          send({
            type: 'end',
            stream: frame.stream,
            error: `More than ${limits.maxStreams} streams are open.`,
          });
        } else {
          streams.set(
            frame.stream,
            openStream(api, frame, { page, send, ended: () => streams.delete(frame.stream) }),
          );
        }
        return;
      case 'ack':
        streams.get(frame.stream)?.ack(frame.bytes, frame.keptLines);
        return;
      case 'close':
        streams.get(frame.stream)?.close();
        streams.delete(frame.stream);
        return;
      case 'input':
        try {
          api.input(frame.sessionId, frame.bytes, page);
        } catch {
          // The session has ended while the person typed; its end is on its way to the pane.
        }
        return;
      default:
        frame satisfies never;
    }
  };

  const removeEvents = api.onEvent((event) => send(frameOf(event)));
  const removeFrames = transport.onFrame((value) => {
    const frame = parseClientFrame(value);
    if (frame) receive(frame);
    else transport.close();
  });
  transport.onClose(() => {
    open = false;
    removeEvents();
    removeFrames();
    for (const stream of streams.values()) stream.close();
    streams.clear();
  });
  return () => transport.close();
}

interface Stream {
  ack(bytes: number, keptLines: number | undefined): void;
  close(): void;
}

/** Joins a session to a stream. The session may write, and even end, before `attach` has returned. */
function openStream(
  api: Api,
  { stream, sessionId }: { stream: number; sessionId: string },
  { page, send, ended }: { page: object; send(frame: ServerFrame): void; ended(): void },
): Stream {
  let unacknowledgedBytes = 0;
  let live = true;
  let attachment: SessionAttachment | undefined;
  const close = (): void => {
    live = false;
    attachment?.detach();
    attachment = undefined;
  };
  const sink: SessionSink = {
    data(bytes, skipped, passedOver, answers) {
      if (!live) return;
      unacknowledgedBytes += bytes.byteLength;
      const gaps = {
        ...(skipped > 0 ? { skipped } : {}),
        ...(passedOver === undefined ? {} : { passedOver }),
        ...(answers ? { answers } : {}),
      };
      send({ type: 'data', stream, bytes, ...gaps });
    },
    end(exitCode) {
      if (!live) return;
      close();
      ended();
      send({ type: 'end', stream, ...(exitCode === undefined ? {} : { exitCode }) });
    },
  };
  try {
    attachment = api.attach(sessionId, sink, page);
    if (!live) close();
  } catch (thrown) {
    live = false;
    send({ type: 'end', stream, error: toPlainError(thrown).message });
  }
  return {
    ack(bytes, keptLines) {
      // A client can't open the flood gates by acknowledging what it never got.
      const counted = Math.min(bytes, unacknowledgedBytes);
      unacknowledgedBytes -= counted;
      if (counted > 0) attachment?.ack(counted, keptLines);
    },
    close,
  };
}
