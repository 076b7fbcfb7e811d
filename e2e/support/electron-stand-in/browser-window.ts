import { EventEmitter } from 'node:events';
import { app, createEvent } from './app.ts';
import { record } from './record.ts';
import { WebContents } from './web-contents.ts';

type Bounds = { x: number; y: number; width: number; height: number };
type Options = Bounds & { webPreferences: { preload: string } & Record<string, unknown> } & Record<
    string,
    unknown
  >;

const windows = new Set<BrowserWindow>();
app.windows = () => [...windows];

export class BrowserWindow extends EventEmitter {
  readonly webContents: WebContents;
  readonly #bounds: Bounds;
  #maximized = false;
  #destroyed = false;
  #closeEmitted = false;

  constructor(options: Options) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const { x, y, width, height, webPreferences } = options;
    this.#bounds = { x, y, width, height };
    const { preload: _preload, ...preferences } = webPreferences;
    record('BrowserWindow', { bounds: this.#bounds, webPreferences: preferences });
    this.webContents = new WebContents({ preload: webPreferences.preload, width, height });
    this.webContents.once('dom-ready', () => this.emit('ready-to-show'));
    this.webContents.once('destroyed', () => this.#end());
    windows.add(this);
    app.emit('web-contents-created', {}, this.webContents);
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url);
  }

  close(): void {
    if (this.#emitClose()) this.webContents.closePage();
  }

  /** True: nobody objects. */
  #emitClose(): boolean {
    const event = createEvent({});
    if (!this.#closeEmitted) this.emit('close', event);
    this.#closeEmitted = !event.defaultPrevented;
    return this.#closeEmitted;
  }

  #end(): void {
    // A person closed the page itself.
    this.#emitClose();
    this.#destroyed = true;
    windows.delete(this);
    this.emit('closed');
    if (windows.size > 0) return;
    if (!app.emit('window-all-closed')) app.quit();
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  show(): void {
    record('window.show');
  }

  hide(): void {
    record('window.hide');
  }

  focus(): void {
    record('window.focus');
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {}

  maximize(): void {
    this.#maximized = true;
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  getNormalBounds(): Bounds {
    return { ...this.#bounds };
  }

  setBackgroundColor(color: string): void {
    record('window.setBackgroundColor', { color });
  }
}
