import type { ClientFrame, ServerFrame } from '../shared/contract.ts';
import { HeadwayError } from '../shared/errors.ts';
import { createClient, type HeadwayClient } from '../shared/rpc/client.ts';
import { createMessagePortTransport } from '../shared/rpc/message-port.ts';
import type { ClientTransport } from '../shared/rpc/transport.ts';
import { openClientSocket } from '../shared/rpc/web-socket.ts';
import { PORT_MESSAGE, type WindowBridge } from '../shared/rpc/window-bridge.ts';
import { engineStore } from './state/store.ts';

declare global {
  interface Window {
    headway?: WindowBridge;
  }
}

const TOKEN_KEY = 'headway.token';

/** One client over the transport that this page has: a MessagePort in the desktop window, else a WebSocket. */
export function connectToEngine(): HeadwayClient {
  const bridge = window.headway;
  if (bridge) return createClient(() => connectPort(bridge));
  const token = takeToken();
  let isFirst = true;
  return createClient(async () => {
    if (!isFirst) await meetAgain(token);
    isFirst = false;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const url = `${scheme}://${location.host}/api/socket?token=${encodeURIComponent(token)}`;
    return openClientSocket(new WebSocket(url));
  });
}

/**
 * Whoever answers now may be another server: of another build, which this page would misread, or one that does not know its token.
 * Rejects where this page must not go on.
 */
async function meetAgain(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const health = (await ask('/api/health', { headers }).then((answer) => answer.json())) as {
    token?: unknown;
  };
  const isRefused = health.token === 'unknown';
  engineStore.setState({ isRefused });
  if (isRefused) throw new HeadwayError('not-allowed', 'The token of this page is not good any more.');
  const own = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  const page = await ask('/').then((answer) => answer.text());
  if (own && !page.includes(own)) {
    location.reload(); // what was begun is kept as a draft
    await new Promise(() => {}); // the page is about to go
  }
}

const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
  fetch(path, { ...options, cache: 'no-store' });

function connectPort(bridge: WindowBridge): Promise<ClientTransport> {
  return new Promise((resolve, reject) => {
    const onMessage = (event: MessageEvent): void => {
      // Messages of other windows have another source; the preload posts from this very window.
      if (event.source !== window || (event.data as { type?: unknown })?.type !== PORT_MESSAGE) return;
      const port = event.ports[0];
      window.removeEventListener('message', onMessage);
      if (port) resolve(createMessagePortTransport<ClientFrame, ServerFrame>(port));
      else reject(new HeadwayError('unavailable', 'The window got no connection to the engine.'));
    };
    window.addEventListener('message', onMessage);
    bridge.connect().catch((thrown: unknown) => {
      window.removeEventListener('message', onMessage);
      reject(thrown);
    });
  });
}

/** The token leaves the address bar at once, so that it is not in history, bookmarks or screenshots. */
function takeToken(): string {
  const url = new URL(location.href);
  const given = url.searchParams.get('token');
  if (given !== null) {
    sessionStorage.setItem(TOKEN_KEY, given);
    url.searchParams.delete('token');
    history.replaceState(undefined, '', url);
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? '';
}
