import { HeadwayError } from '../errors.ts';
import {
  decodeClientFrame,
  decodeServerFrame,
  encodeClientFrame,
  encodeServerFrame,
  type WireMessage,
} from './frames.ts';
import { createListeners, createOnce } from './listeners.ts';
import type { ClientTransport, ServerTransport, Transport } from './transport.ts';

/** What the browser's WebSocket and the `ws` package's have in common. */
export interface SocketLike {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  // biome-ignore lint/suspicious/noExplicitAny: the DOM and ws differ in the buffer types they accept
  send(message: any): void;
  close(code?: number, reason?: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: the DOM's and ws's event types have no common ground
  addEventListener(type: any, listener: (event: any) => void): void;
}

const OPEN = 1;
/** Close code of an end that is told why; those from 4000 on are free for applications. */
const TOLD_WHY = 4000;

/** The client's end. Rejects with code `unavailable` where the socket closes before it opens. */
export function openClientSocket(socket: SocketLike): Promise<ClientTransport> {
  const transport = createSocketTransport(socket, encodeClientFrame, decodeServerFrame);
  return new Promise((resolve, reject) => {
    if (socket.readyState === OPEN) resolve(transport);
    socket.addEventListener('open', () => resolve(transport));
    transport.onClose(() => reject(new HeadwayError('unavailable', 'Headway does not answer.')));
  });
}

/** The server's end of an open socket. */
export function createServerSocketTransport(socket: SocketLike): ServerTransport {
  return createSocketTransport(socket, encodeServerFrame, decodeClientFrame);
}

function createSocketTransport<Out, In>(
  socket: SocketLike,
  encode: (frame: Out) => WireMessage,
  decode: (message: WireMessage) => In | undefined,
): Transport<Out, In> {
  const frames = createListeners<[In]>();
  const closed = createOnce();
  let reason: string | undefined;
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', (event: { data: unknown }) => {
    if (closed.fired) return;
    const { data } = event;
    const frame = decode(data instanceof ArrayBuffer ? new Uint8Array(data) : String(data));
    // What can't be decoded is passed on: the server decides that the connection ends, a client ignores it.
    frames.emit(frame as In);
  });
  socket.addEventListener('close', (event: { reason?: string }) => {
    reason = event.reason || undefined;
    closed.fire();
  });
  // An error is always followed by a close, which says all that a caller needs.
  socket.addEventListener('error', () => {});
  return {
    send(frame) {
      if (!closed.fired && socket.readyState === OPEN) socket.send(encode(frame));
    },
    onFrame: (listener) => frames.add(listener),
    onClose: (listener) => closed.add(listener),
    close(why) {
      if (why === undefined) socket.close();
      else socket.close(TOLD_WHY, why);
      closed.fire();
    },
    closeReason: () => reason,
    bufferedBytes: () => socket.bufferedAmount,
  };
}
