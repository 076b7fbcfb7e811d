import { once } from 'node:events';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: the DevTools protocol has its own types for hundreds of messages
type Params = Record<string, any>;
type Listener = (params: Params, sessionId: string | undefined) => void;
type Reply = {
  id?: number;
  method?: string;
  params?: Params;
  result?: Params;
  error?: { message: string };
  sessionId?: string;
};

const pending = new Map<number, { resolve(result: Params): void; reject(error: Error): void }>();
const listeners = new Map<string, Set<Listener>>();
let socket: WebSocket | undefined;
let lastId = 0;

/** Joins the browser that the test has started. */
export async function connectBrowser(): Promise<void> {
  const address = process.env.HEADWAY_STAND_IN_BROWSER;
  if (!address) throw new Error('HEADWAY_STAND_IN_BROWSER names no DevTools address.');
  socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
  socket.on('message', (data) => receive(JSON.parse(String(data)) as Reply));
  await once(socket, 'open');
  // The connection alone does not keep the program alive, as in Electron: windows and the app do.
  await send('Target.setDiscoverTargets', { discover: true });
}

function receive(reply: Reply): void {
  if (reply.id === undefined) {
    for (const listener of listeners.get(reply.method ?? '') ?? [])
      listener(reply.params ?? {}, reply.sessionId);
    return;
  }
  const request = pending.get(reply.id);
  pending.delete(reply.id);
  if (reply.error) request?.reject(new Error(reply.error.message));
  else request?.resolve(reply.result ?? {});
}

/** One command of the DevTools protocol, to the browser or, with a session, to a page. */
export function send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) {
      reject(new Error('the browser is gone'));
      return;
    }
    pending.set(id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
  });
}

/** For what may come too late, when the page or the browser has gone already. */
export function sendQuietly(method: string, params: Params = {}, sessionId?: string): void {
  send(method, params, sessionId).catch(() => {});
}

export function onEvent(
  method: string,
  sessionId: string | undefined,
  listener: (params: Params) => void,
): void {
  const filtered: Listener = (params, from) => {
    if (from === sessionId) listener(params);
  };
  const known = listeners.get(method) ?? new Set();
  listeners.set(method, known.add(filtered));
}
