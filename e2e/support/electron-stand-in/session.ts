import { app } from './app.ts';

type SchemeHandler = (request: Request) => Promise<Response>;
type Headers = Record<string, string[]>;
type RequestVerdict = { cancel?: boolean };
type HeadersVerdict = { responseHeaders?: Record<string, string | string[]> };
type BeforeRequest = (details: { url: string }, done: (verdict: RequestVerdict) => void) => void;
type HeadersReceived = (
  details: { url: string; responseHeaders: Headers },
  done: (verdict: HeadersVerdict) => void,
) => void;

type PermissionHandler = (contents: unknown, permission: string, answer: (granted: boolean) => void) => void;
type PermissionCheck = (contents: unknown, permission: string) => boolean;

const privileged = new Set<string>();

export const protocol = {
  registerSchemesAsPrivileged(schemes: { scheme: string }[]): void {
    if (app.isReady()) throw new Error('registerSchemesAsPrivileged must be called before the app is ready');
    for (const { scheme } of schemes) privileged.add(scheme);
  },
};

/** What a page gets for an address: an answer with its headers, or nothing. */
export type PageAnswer = { status: number; headers: Headers; body: Uint8Array };

class Session {
  readonly #handlers = new Map<string, SchemeHandler>();
  #beforeRequest: BeforeRequest = (_details, done) => done({});
  #headersReceived: HeadersReceived = (_details, done) => done({});
  #permissionRequest: PermissionHandler = (_contents, _permission, answer) => answer(true);
  #permissionCheck: PermissionCheck = () => true;

  readonly protocol = {
    handle: (scheme: string, handler: SchemeHandler): void => void this.#handlers.set(scheme, handler),
  };
  readonly webRequest = {
    onBeforeRequest: (listener: BeforeRequest): void => {
      this.#beforeRequest = listener;
    },
    onHeadersReceived: (listener: HeadersReceived): void => {
      this.#headersReceived = listener;
    },
  };

  setPermissionRequestHandler(handler: PermissionHandler): void {
    this.#permissionRequest = handler;
  }

  setPermissionCheckHandler(handler: PermissionCheck): void {
    this.#permissionCheck = handler;
  }

  async allows(permission: string): Promise<boolean> {
    const granted = await new Promise<boolean>((answer) => this.#permissionRequest({}, permission, answer));
    return granted && this.#permissionCheck({}, permission);
  }

  /** Undefined: the request was cancelled, or nobody serves its scheme. The network is never asked. */
  async answer(url: string): Promise<PageAnswer | undefined> {
    const verdict = await new Promise<RequestVerdict>((done) => this.#beforeRequest({ url }, done));
    const scheme = new URL(url).protocol.slice(0, -1);
    const handler = privileged.has(scheme) ? this.#handlers.get(scheme) : undefined;
    if (verdict.cancel || !handler) return undefined;
    const response = await handler(new Request(url));
    const received: Headers = {};
    response.headers.forEach((value, name) => {
      received[name] = [value];
    });
    const { responseHeaders = received } = await new Promise<HeadersVerdict>((done) =>
      this.#headersReceived({ url, responseHeaders: received }, done),
    );
    const headers = Object.fromEntries(
      Object.entries(responseHeaders).map(([name, value]) => [name, [value].flat()]),
    );
    return { status: response.status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  }
}

const defaultSession = new Session();
export const session = { defaultSession };
