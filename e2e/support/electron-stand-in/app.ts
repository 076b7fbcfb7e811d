import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { record } from './record.ts';

/** An event whose default a listener may prevent. */
export function createEvent<T extends object>(
  details: T,
): T & { preventDefault(): void; defaultPrevented: boolean } {
  const event = {
    ...details,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
}

class App extends EventEmitter {
  isPackaged = false;
  readonly #paths = new Map<string, string>();
  #ready = false;
  #lockPath: string | undefined;
  readonly #whenReady = new Promise<void>((resolve) => this.once('ready', resolve));
  /** Holds the program while no window does, as Electron's own loop. */
  readonly #alive = setInterval(() => {}, 60_000);
  windows: () => { close(): void }[] = () => [];

  isReady(): boolean {
    return this.#ready;
  }

  whenReady(): Promise<void> {
    return this.#whenReady;
  }

  markReady(): void {
    this.#ready = true;
    this.emit('ready');
  }

  setPath(name: string, path: string): void {
    if (this.#ready) throw new Error(`${name} must be set before the app is ready`);
    this.#paths.set(name, path);
  }

  getPath(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  /** One program per user data directory; a second one leaves a note for the first. */
  requestSingleInstanceLock(): boolean {
    const directory = this.getPath('userData');
    mkdirSync(directory, { recursive: true });
    const path = join(directory, 'stand-in.lock');
    if (existsSync(path) && isAlive(Number(readFileSync(path, 'utf8')))) {
      writeFileSync(join(directory, `second-${process.pid}.json`), JSON.stringify(process.argv));
      return false;
    }
    writeFileSync(path, String(process.pid));
    this.#lockPath = path;
    watch(directory, () => this.#readNotes(directory)).unref();
    return true;
  }

  #readNotes(directory: string): void {
    if (!existsSync(directory)) return;
    for (const name of readdirSync(directory).filter((name) => /^second-\d+\.json$/.test(name))) {
      const path = join(directory, name);
      const text = readFileSync(path, 'utf8');
      if (text === '') continue;
      rmSync(path);
      this.emit('second-instance', createEvent({}), JSON.parse(text), process.cwd(), undefined);
    }
  }

  quit(): void {
    const event = createEvent({});
    this.emit('before-quit', event);
    if (event.defaultPrevented) return;
    for (const window of this.windows()) window.close();
    this.exit(0);
  }

  exit(code = 0): void {
    record('app.exit', { code });
    clearInterval(this.#alive);
    if (this.#lockPath) rmSync(this.#lockPath, { force: true });
    process.exit(code);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const app = new App();
export const markReady = (): void => app.markReady();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit());
