import { decode, encode, type FromPage, type ToPage } from './wire.ts';

/** Name of the isolated world that the preload runs in, beside the page's own. */
export const PRELOAD_WORLD = 'electron-preload';
export const SEND_BINDING = '__standInSend';
export const RECEIVE_FUNCTION = '__standInReceive';

/** For the page's own world, before its scripts: makes what the preload exposes, and passes calls on. */
export function mainWorldSource(): string {
  return `(${mainWorld.toString()})()`;
}

/** For the isolated world: a sandboxed preload's `require('electron')`, and the preload in it. */
export function preloadWorldSource(preload: string, platform: string): string {
  const run = `(require, module, exports, process) => {${preload}\n}`;
  const names = JSON.stringify({ send: SEND_BINDING, receive: RECEIVE_FUNCTION, platform });
  return `(() => {${encode.toString()}\n${decode.toString()}\n(${preloadWorld.toString()})(${names}, ${run})})()`;
}

// Both functions below run in the page: they may use nothing of this module but `encode` and `decode`.

type Exposed = { key: string; members: Record<string, { value: unknown } | { call: true }> };
type Outcome = { id: number; value?: unknown; error?: string };

function mainWorld(): void {
  const pending = new Map<number, (outcome: Outcome) => void>();
  let lastId = 0;
  const readDetail = (event: Event): unknown => JSON.parse((event as CustomEvent<string>).detail);
  document.addEventListener('stand-in-expose', (event) => {
    const { key, members } = readDetail(event) as Exposed;
    const call =
      (name: string) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          lastId += 1;
          pending.set(lastId, ({ value, error }) =>
            error === undefined ? resolve(value) : reject(new Error(error)),
          );
          const detail = JSON.stringify({ key, name, id: lastId, args });
          document.dispatchEvent(new CustomEvent('stand-in-call', { detail }));
        });
    const api = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, 'call' in member ? call(name) : member.value]),
    );
    Object.defineProperty(window, key, { value: Object.freeze(api), enumerable: true });
  });
  document.addEventListener('stand-in-result', (event) => {
    const outcome = readDetail(event) as Outcome;
    pending.get(outcome.id)?.(outcome);
    pending.delete(outcome.id);
  });
}

function preloadWorld(
  names: { send: string; receive: string; platform: string },
  runPreload: (...scope: unknown[]) => void,
): void {
  type Listener = (event: { ports: MessagePort[] }, message: unknown) => void;
  type Call = { key: string; name: string; id: number; args: unknown[] };
  const world = globalThis as unknown as Record<string, (json: string) => void>;
  const ports = new Map<number, MessagePort>();
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, Set<Listener>>();
  const exposed = new Map<string, Record<string, unknown>>();
  let lastId = 0;

  const send = (message: FromPage): void => world[names.send]?.(JSON.stringify(encode(message)));

  const openPort = (id: number): MessagePort => {
    const { port1, port2 } = new MessageChannel();
    ports.set(id, port1);
    port1.onmessage = ({ data }) => send({ type: 'port', port: id, data });
    port1.addEventListener('close', () => {
      if (ports.delete(id)) send({ type: 'port-close', port: id });
    });
    return port2;
  };

  world[names.receive] = (json) => {
    const message = decode(JSON.parse(json)) as ToPage;
    if (message.type === 'message') {
      const event = { ports: message.ports.map(openPort) };
      for (const listener of listeners.get(message.channel) ?? []) listener(event, message.message);
    } else if (message.type === 'result') {
      const call = pending.get(message.id);
      pending.delete(message.id);
      if (message.error === undefined) call?.resolve(message.value);
      else call?.reject(new Error(message.error));
    } else if (message.type === 'port') {
      ports.get(message.port)?.postMessage(message.data);
    } else {
      const port = ports.get(message.port);
      ports.delete(message.port);
      port?.close();
    }
  };

  const ipcRenderer = {
    on(channel: string, listener: Listener): void {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
    },
    invoke: (channel: string, ...args: unknown[]) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        send({ type: 'invoke', id: lastId, channel, args });
      }),
  };

  const contextBridge = {
    exposeInMainWorld(key: string, api: Record<string, unknown>): void {
      exposed.set(key, api);
      const members = Object.fromEntries(
        Object.entries(api).map(([name, value]) => [
          name,
          typeof value === 'function' ? { call: true } : { value },
        ]),
      );
      document.dispatchEvent(
        new CustomEvent('stand-in-expose', { detail: JSON.stringify({ key, members }) }),
      );
    },
  };
  document.addEventListener('stand-in-call', (event) => {
    const { key, name, id, args } = JSON.parse((event as CustomEvent<string>).detail) as Call;
    const method = exposed.get(key)?.[name] as (...args: unknown[]) => unknown;
    const settle = (outcome: object): void => {
      const detail = JSON.stringify({ id, ...outcome });
      document.dispatchEvent(new CustomEvent('stand-in-result', { detail }));
    };
    Promise.resolve(method(...args)).then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error: String(error) }),
    );
  });

  const electron: Record<string, unknown> = { ipcRenderer, contextBridge };
  // As in a sandboxed preload: nothing else can be required.
  const requireModule = (name: string): unknown => {
    if (name === 'electron') return electron;
    throw new Error(`module not found: ${name}`);
  };
  const module = { exports: {} };
  runPreload(requireModule, module, module.exports, {
    platform: names.platform,
    contextIsolated: true,
    sandboxed: true,
  });
}
