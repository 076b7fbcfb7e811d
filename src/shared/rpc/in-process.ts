import type { ClientFrame, ServerFrame } from '../contract.ts';
import { createListeners, createOnce } from './listeners.ts';
import type { ClientTransport, ServerTransport, Transport } from './transport.ts';

/** Two joined ends in one process. Frames are delivered in order, each after the sender's turn has ended. */
export function createInProcessPair(): { client: ClientTransport; server: ServerTransport } {
  const toServer = createListeners<[ClientFrame]>();
  const toClient = createListeners<[ServerFrame]>();
  const closed = createOnce();

  function end<Out, In>(
    outgoing: { emit(frame: Out): void },
    incoming: { add(listener: (frame: In) => void): () => void },
  ): Transport<Out, In> {
    return {
      send(frame) {
        const copy = withOwnBytes(frame);
        void Promise.resolve().then(() => {
          if (!closed.fired) outgoing.emit(copy);
        });
      },
      onFrame: (listener) => incoming.add(listener),
      onClose: (listener) => closed.add(listener),
      close: () => void Promise.resolve().then(() => closed.fire()),
    };
  }

  return { client: end(toServer, toClient), server: end(toClient, toServer) };
}

/** The sender may reuse its buffer once `send` has returned, as it may over a real connection. */
function withOwnBytes<F>(frame: F): F {
  const { bytes } = frame as { bytes?: unknown };
  return bytes instanceof Uint8Array ? { ...frame, bytes: new Uint8Array(bytes) } : frame;
}
