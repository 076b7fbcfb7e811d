import { type AnyEvent, requests, STREAM_HIGH_BYTES, STREAM_LOW_BYTES } from '../../contract.ts';
import { HeadwayError } from '../../errors.ts';
import { createListeners } from '../listeners.ts';
import type { Api, Handlers, SessionAttachment, SessionSink } from '../server.ts';

/** A session that keeps to the flow control of the contract: it waits while too much is unacknowledged. */
export interface FakeSession {
  readonly attached: number;
  readonly unacknowledgedBytes: number;
  /** Largest number of bytes that were ever unacknowledged. */
  readonly peakBytes: number;
  readonly inputs: readonly Uint8Array[];
  /** What each acknowledgement said of kept lines. */
  readonly keptLines: readonly (number | undefined)[];
  write(bytes: Uint8Array, skipped?: number, passedOver?: number, answers?: boolean): void;
  /** Offers chunks until `sizeBytes` are written; pauses and resumes by the watermarks. */
  flood(sizeBytes: number, chunkBytes: number): void;
  end(exitCode: number | undefined): void;
}

export interface FakeApi {
  api: Api;
  emit(event: AnyEvent): void;
  addSession(id: string): FakeSession;
  readonly eventListeners: number;
}

/** An engine made of nothing, for tests of what lies between an engine and a window. */
export function createFakeApi(overrides: Partial<Handlers> = {}): FakeApi {
  const listeners = createListeners<[AnyEvent]>();
  const sessions = new Map<string, Attachable>();
  let eventListeners = 0;
  const find = (id: string): Attachable => {
    const session = sessions.get(id);
    if (!session) throw new HeadwayError('not-found', `There is no session ${id}.`);
    return session;
  };
  const refuse = (): never => {
    throw new HeadwayError('not-allowed', 'The fake engine does not do this.');
  };
  const api: Api = {
    handlers: {
      ...(Object.fromEntries(Object.keys(requests).map((name) => [name, refuse])) as unknown as Handlers),
      ...overrides,
    },
    onEvent(listener) {
      eventListeners += 1;
      const remove = listeners.add(listener);
      return () => {
        eventListeners -= 1;
        remove();
      };
    },
    attach: (sessionId, sink) => find(sessionId).attach(sink),
    input: (sessionId, bytes) => void find(sessionId).inputs.push(new Uint8Array(bytes)),
  };
  return {
    api,
    emit: (event) => listeners.emit(event),
    addSession(id) {
      const session = createSession();
      sessions.set(id, session);
      return session;
    },
    get eventListeners() {
      return eventListeners;
    },
  };
}

type Attachable = FakeSession & { attach(sink: SessionSink): SessionAttachment; inputs: Uint8Array[] };

function createSession(): Attachable {
  const sinks = new Set<SessionSink>();
  const inputs: Uint8Array[] = [];
  const keptLines: (number | undefined)[] = [];
  let unacknowledgedBytes = 0;
  let peakBytes = 0;
  let leftBytes = 0;
  let chunkBytes = 1;

  const write = (bytes: Uint8Array, skipped = 0, passedOver?: number, answers?: boolean): void => {
    unacknowledgedBytes += bytes.byteLength;
    peakBytes = Math.max(peakBytes, unacknowledgedBytes);
    for (const sink of sinks) sink.data(bytes, skipped, passedOver, answers);
  };
  const pump = (): void => {
    while (leftBytes > 0 && unacknowledgedBytes < STREAM_HIGH_BYTES) {
      const size = Math.min(chunkBytes, leftBytes);
      leftBytes -= size;
      write(new Uint8Array(size).fill(leftBytes % 251));
    }
  };
  return {
    inputs,
    keptLines,
    get attached() {
      return sinks.size;
    },
    get unacknowledgedBytes() {
      return unacknowledgedBytes;
    },
    get peakBytes() {
      return peakBytes;
    },
    attach(sink) {
      sinks.add(sink);
      return {
        ack(bytes, kept) {
          keptLines.push(kept);
          unacknowledgedBytes -= bytes;
          if (unacknowledgedBytes <= STREAM_LOW_BYTES) pump();
        },
        detach: () => void sinks.delete(sink),
      };
    },
    write,
    flood(sizeBytes, size) {
      leftBytes = sizeBytes;
      chunkBytes = size;
      pump();
    },
    end(exitCode) {
      for (const sink of [...sinks]) sink.end(exitCode);
    },
  };
}
