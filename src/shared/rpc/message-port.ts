import { createListeners, createOnce } from './listeners.ts';
import type { Transport } from './transport.ts';

type MessageEventLike = { data: unknown };

interface PortCore {
  postMessage(message: unknown): void;
  start?(): void;
  close(): void;
}
/** The browser's MessagePort, and Node's. */
interface TargetPort extends PortCore {
  // biome-ignore lint/suspicious/noExplicitAny: the DOM's and Node's listener types have no common ground
  addEventListener(type: 'message' | 'close', listener: (event: any) => void): void;
}
/** Electron's MessagePortMain. */
interface EmitterPort extends PortCore {
  // biome-ignore lint/suspicious/noExplicitAny: Electron declares one overload per event
  on(type: any, listener: (event: any) => void): unknown;
}
export type PortLike = TargetPort | EmitterPort;

/** Frames over a MessagePort, by structured clone. Closing either end closes both. */
export function createMessagePortTransport<Out, In>(port: PortLike): Transport<Out, In> {
  const frames = createListeners<[In]>();
  const closed = createOnce();
  const onMessage = (event: MessageEventLike): void => {
    if (!closed.fired) frames.emit(event.data as In);
  };
  if ('addEventListener' in port) {
    port.addEventListener('message', onMessage);
    port.addEventListener('close', () => closed.fire());
  } else {
    port.on('message', onMessage);
    port.on('close', () => closed.fire());
  }
  let started = false;
  return {
    send(frame) {
      if (!closed.fired) port.postMessage(withTightBytes(frame));
    },
    onFrame(listener) {
      const remove = frames.add(listener);
      // A port holds its messages until it is started, so none is lost before somebody listens.
      if (!started) port.start?.();
      started = true;
      return remove;
    },
    onClose: (listener) => closed.add(listener),
    close() {
      port.close();
      closed.fire();
    },
  };
}

/** Structured clone copies the whole buffer under a view: other data of the sender's memory would travel along. */
function withTightBytes<F>(frame: F): F {
  const { bytes } = frame as { bytes?: unknown };
  if (!(bytes instanceof Uint8Array) || bytes.byteLength === bytes.buffer.byteLength) return frame;
  return { ...frame, bytes: new Uint8Array(bytes) };
}
