import { type IpcMainInvokeEvent, ipcMain, MessageChannelMain } from 'electron';
import { HeadwayError } from '../../../shared/errors.ts';
import { createMessagePortTransport } from '../../../shared/rpc/message-port.ts';
import { type Api, serveConnection } from '../../../shared/rpc/server.ts';
import { CONNECT_CHANNEL } from '../../../shared/rpc/window-bridge.ts';
import { APP_ORIGIN } from './app-protocol.ts';

/** Gives each window that asks a port to the engine, which may still be opening. */
export function acceptWindows(api: Promise<Api>): void {
  // An engine that can't open is reported by whoever opens it; here it only means that no port is given.
  api.catch(() => {});
  ipcMain.handle(CONNECT_CHANNEL, async (event) => {
    const frame = requireOwnFrame(event);
    const opened = await api;
    const { port1, port2 } = new MessageChannelMain();
    serveConnection(createMessagePortTransport(port1), opened, { caller: { kind: 'window' } });
    frame.postMessage(CONNECT_CHANNEL, undefined, [port2]);
  });
}

/** A frame inside our page, or a page that is not ours, has no business with the engine. */
function requireOwnFrame(event: IpcMainInvokeEvent): NonNullable<IpcMainInvokeEvent['senderFrame']> {
  const frame = event.senderFrame;
  const url = frame ? URL.parse(frame.url) : null;
  if (frame && frame.parent === null && url && `${url.protocol}//${url.host}` === APP_ORIGIN) return frame;
  throw new HeadwayError('not-allowed', 'Only the main page of a Headway window may connect.');
}
