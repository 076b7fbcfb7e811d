import type { ClientFrame, ServerFrame } from '../contract.ts';

/**
 * One connection, seen from one end. Frames keep their order. `onClose` listeners run once; those added after the
 * end run at once. `send` on a closed transport does nothing.
 */
export interface Transport<Out, In> {
  send(frame: Out): void;
  onFrame(listener: (frame: In) => void): () => void;
  onClose(listener: () => void): () => void;
  /** `why`: in words for a person, told to the other end where the transport can. */
  close(why?: string): void;
  /** Why the other end closed it, in words for a person; undefined: it did not say. */
  closeReason?(): string | undefined;
  /** Bytes accepted by `send` that have not left this process yet; absent where the transport can't tell. */
  bufferedBytes?(): number;
}

export type ClientTransport = Transport<ClientFrame, ServerFrame>;
/** What arrives from a client is untrusted: `parseClientFrame` decides what it is. */
export type ServerTransport = Transport<ServerFrame, unknown>;
