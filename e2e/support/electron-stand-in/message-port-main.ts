import { EventEmitter } from 'node:events';

type Receiver = { message(data: unknown): void; close(): void };

/** One end of a channel in the main process. What arrives waits until `start`. */
export class MessagePortMain extends EventEmitter {
  peer: MessagePortMain | undefined;
  #waiting: unknown[] = [];
  #started = false;
  #closed = false;
  #transferred: Receiver | undefined;

  postMessage(message: unknown): void {
    const copy = structuredClone(message);
    if (!this.#closed) this.peer?.arrive(copy);
  }

  start(): void {
    this.#started = true;
    for (const data of this.#waiting.splice(0)) this.arrive(data);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#transferred?.close();
    this.peer?.close();
    // Electron tells of a closed port in a turn of its own.
    setImmediate(() => this.emit('close'));
  }

  arrive(data: unknown): void {
    if (this.#transferred) this.#transferred.message(data);
    else if (this.#started) setImmediate(() => this.emit('message', { data, ports: [] }));
    else this.#waiting.push(data);
  }

  /** Moves this end elsewhere: what arrives goes there from now on. */
  transferTo(receiver: Receiver): void {
    this.#transferred = receiver;
    for (const data of this.#waiting.splice(0)) receiver.message(data);
  }
}

export class MessageChannelMain {
  readonly port1 = new MessagePortMain();
  readonly port2 = new MessagePortMain();

  constructor() {
    this.port1.peer = this.port2;
    this.port2.peer = this.port1;
  }
}
