import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Scratch } from '../../src/main/testing/scratch.ts';

const HEADWAY = resolve(import.meta.dirname, '..', '..', 'bin', 'headway.mjs');

/** The product as a person starts it on a build box, with a data directory and repositories of its own. */
export class RealEngine extends Scratch implements AsyncDisposable {
  #server: ChildProcess | undefined;

  constructor() {
    super('headway-e2e');
  }

  /** Starts `headway serve`; returns the address with its token. `port` 0: a free one. */
  async serve(port = 0, ...more: string[]): Promise<string> {
    const child = spawn(process.execPath, [HEADWAY, 'serve', '--port', String(port), '--json', ...more], {
      env: { ...process.env, HEADWAY_HOME: this.home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#server = child;
    const lines = createInterface({ input: child.stdout });
    const [text] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'close').then(() => Promise.reject(new Error('headway serve ended'))),
    ])) as [string];
    return (JSON.parse(text) as { url: string }).url;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#server;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM');
    this.remove();
  }
}
