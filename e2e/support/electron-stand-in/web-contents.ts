import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createEvent } from './app.ts';
import { onEvent, send, sendQuietly } from './chromium.ts';
import { ipcMain } from './ipc-main.ts';
import type { MessagePortMain } from './message-port-main.ts';
import { toAppUrl, toPageUrl } from './page-url.ts';
import {
  mainWorldSource,
  PRELOAD_WORLD,
  preloadWorldSource,
  RECEIVE_FUNCTION,
  SEND_BINDING,
} from './page-worlds.ts';
import { session } from './session.ts';
import { decode, encode, type FromPage, type ToPage } from './wire.ts';

type WindowOpenHandler = (details: { url: string }) => { action: 'deny' | 'allow' };
type Frame = { url: string; parentId: string | undefined };

/** Electron's names of permissions, and the browser's. */
const PERMISSIONS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  'clipboard-sanitized-write': 'clipboard-write',
};

/** A page of the browser, with the preload in a world of its own. */
export class WebContents extends EventEmitter {
  readonly session = session.defaultSession;
  readonly #opened: Promise<{ targetId: string; sessionId: string }>;
  readonly #frames = new Map<string, Frame>();
  /** Preload worlds by the browser's number, with the frame that they belong to. */
  readonly #worlds = new Map<number, string>();
  readonly #ports = new Map<number, MessagePortMain>();
  #lastPort = 0;
  #expectedUrl: string | undefined;
  #windowOpen: WindowOpenHandler = () => ({ action: 'allow' });

  constructor(options: { preload: string; width: number; height: number }) {
    super();
    this.#opened = this.#open(options);
  }

  async #open(options: { preload: string; width: number; height: number }) {
    const size = { width: options.width, height: options.height };
    const { targetId } = (await send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      ...size,
    })) as {
      targetId: string;
    };
    const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as {
      sessionId: string;
    };
    const command = (method: string, params = {}) => send(method, params, sessionId);
    this.#listen(targetId, sessionId);
    const source = preloadWorldSource(readFileSync(options.preload, 'utf8'), process.platform);
    await command('Page.enable');
    await command('Runtime.addBinding', { name: SEND_BINDING, executionContextName: PRELOAD_WORLD });
    await command('Runtime.enable');
    await command('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldSource() });
    await command('Page.addScriptToEvaluateOnNewDocument', { source, worldName: PRELOAD_WORLD });
    for (const [electronName, name] of Object.entries(PERMISSIONS)) {
      const setting = (await this.session.allows(electronName)) ? 'granted' : 'denied';
      await send('Browser.setPermission', { permission: { name }, setting });
    }
    await command('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return { targetId, sessionId };
  }

  #listen(targetId: string, sessionId: string): void {
    const on = (method: string, listener: (params: never) => void) =>
      onEvent(method, sessionId, listener as never);
    on('Page.frameNavigated', ({ frame }: { frame: { id: string; parentId?: string; url: string } }) => {
      this.#frames.set(frame.id, { url: toAppUrl(frame.url), parentId: frame.parentId });
      if (!frame.parentId) this.#closePorts();
    });
    on(
      'Runtime.executionContextCreated',
      ({ context }: { context: { id: number; name: string; auxData: { frameId: string } } }) => {
        if (context.name === PRELOAD_WORLD) this.#worlds.set(context.id, context.auxData.frameId);
      },
    );
    on('Runtime.executionContextDestroyed', ({ executionContextId }: { executionContextId: number }) => {
      this.#worlds.delete(executionContextId);
    });
    on('Runtime.executionContextsCleared', () => this.#worlds.clear());
    on(
      'Runtime.bindingCalled',
      ({
        name,
        payload,
        executionContextId,
      }: {
        name: string;
        payload: string;
        executionContextId: number;
      }) => {
        if (name === SEND_BINDING) this.#receive(decode(JSON.parse(payload)) as FromPage, executionContextId);
      },
    );
    on(
      'Fetch.requestPaused',
      (paused: { requestId: string; request: { url: string }; resourceType: string; frameId: string }) => {
        const isNavigation = paused.resourceType === 'Document' && paused.frameId === targetId;
        void this.#answer(paused.requestId, toAppUrl(paused.request.url), isNavigation, sessionId);
      },
    );
    on('Page.domContentEventFired', () => this.emit('dom-ready'));
    on('Page.windowOpen', ({ url }: { url: string }) => this.#windowOpen({ url: toAppUrl(url) }));
    onEvent('Target.targetCreated', undefined, ({ targetInfo }) => {
      // The decision has been taken above; here a browser's own window is undone.
      if (targetInfo.openerId === targetId)
        sendQuietly('Target.closeTarget', { targetId: targetInfo.targetId });
    });
    onEvent('Target.targetDestroyed', undefined, (gone) => {
      if (gone.targetId !== targetId) return;
      this.#closePorts();
      this.emit('destroyed');
    });
  }

  async #answer(requestId: string, url: string, isNavigation: boolean, sessionId: string): Promise<void> {
    const isExpected = url === this.#expectedUrl;
    if (isNavigation && !isExpected) {
      const event = createEvent({ url });
      this.emit('will-navigate', event);
      if (event.defaultPrevented) {
        sendQuietly('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId);
        return;
      }
    }
    if (isNavigation) this.#expectedUrl = undefined;
    const answer = await this.session.answer(url);
    if (!answer) {
      sendQuietly('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }, sessionId);
      return;
    }
    const responseHeaders = Object.entries(answer.headers).flatMap(([name, values]) =>
      values.map((value) => ({ name, value })),
    );
    const body = Buffer.from(answer.body).toString('base64');
    sendQuietly(
      'Fetch.fulfillRequest',
      { requestId, responseCode: answer.status, responseHeaders, body },
      sessionId,
    );
  }

  #receive(message: FromPage, worldId: number): void {
    if (message.type === 'port') this.#ports.get(message.port)?.peer?.arrive(message.data);
    else if (message.type === 'port-close') this.#ports.get(message.port)?.close();
    else {
      const event = { sender: this, senderFrame: this.#senderFrame(worldId) };
      ipcMain.invoke(event, message.channel, message.args).then(
        (value) => this.#send({ type: 'result', id: message.id, value }, worldId),
        (error: unknown) => {
          const text = `Error invoking remote method '${message.channel}': ${String(error)}`;
          this.#send({ type: 'result', id: message.id, error: text }, worldId);
        },
      );
    }
  }

  #senderFrame(worldId: number) {
    const frame = this.#frames.get(this.#worlds.get(worldId) ?? '');
    if (!frame) return null;
    const parent = frame.parentId ? (this.#frames.get(frame.parentId) ?? null) : null;
    const postMessage = (channel: string, message: unknown, transfer: MessagePortMain[] = []): void => {
      const ports = transfer.map((port) => this.#adopt(port, worldId));
      this.#send({ type: 'message', channel, message, ports }, worldId);
    };
    return { url: frame.url, parent, postMessage };
  }

  /** The port's other life in the page begins: its number there. */
  #adopt(port: MessagePortMain, worldId: number): number {
    this.#lastPort += 1;
    const id = this.#lastPort;
    this.#ports.set(id, port);
    // What waits in the port must not arrive before the port itself.
    queueMicrotask(() =>
      port.transferTo({
        message: (data) => this.#send({ type: 'port', port: id, data }, worldId),
        close: () => {
          this.#ports.delete(id);
          this.#send({ type: 'port-close', port: id }, worldId);
        },
      }),
    );
    return id;
  }

  #closePorts(): void {
    for (const port of this.#ports.values()) port.close();
    this.#ports.clear();
  }

  #send(message: ToPage, contextId: number): void {
    const expression = `${RECEIVE_FUNCTION}(${JSON.stringify(JSON.stringify(encode(message)))})`;
    void this.#opened.then(({ sessionId }) =>
      sendQuietly('Runtime.evaluate', { expression, contextId }, sessionId),
    );
  }

  async loadURL(url: string): Promise<void> {
    const { sessionId } = await this.#opened;
    this.#expectedUrl = url;
    const { errorText } = await send('Page.navigate', { url: toPageUrl(url) }, sessionId);
    if (errorText) throw new Error(String(errorText));
  }

  reload(): void {
    void this.#opened.then(({ targetId, sessionId }) => {
      this.#expectedUrl = this.#frames.get(targetId)?.url;
      sendQuietly('Page.reload', {}, sessionId);
    });
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#windowOpen = handler;
  }

  /** Closes the page; `destroyed` follows. */
  closePage(): void {
    void this.#opened.then(({ targetId }) => sendQuietly('Target.closeTarget', { targetId }));
  }
}
