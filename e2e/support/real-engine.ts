import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const HEADWAY = resolve(import.meta.dirname, '..', '..', 'bin', 'headway.mjs');

/** The product as a person starts it on a build box, with a data directory and repositories of its own. */
export class RealEngine implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'headway-e2e-'));
  readonly home = join(this.root, 'home');
  #server: ChildProcess | undefined;

  /** Starts `headway serve`; returns the address with its token. */
  async serve(): Promise<string> {
    const child = spawn(process.execPath, [HEADWAY, 'serve', '--port', '0', '--json'], {
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

  write(path: string, text: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  git(dir: string, ...args: string[]): string {
    return execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' }).trim();
  }

  repository(name: string, files: Record<string, string>): string {
    const dir = join(this.root, name);
    mkdirSync(dir, { recursive: true });
    this.git(dir, 'init', '-q', '-b', 'main');
    this.git(dir, 'config', 'user.name', 'Test');
    this.git(dir, 'config', 'user.email', 'test@example.invalid');
    for (const [path, text] of Object.entries(files)) this.write(join(name, path), text);
    this.git(dir, 'add', '-A');
    this.git(dir, 'commit', '-q', '-m', 'base');
    return dir;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM');
    rmSync(this.root, { recursive: true, force: true });
  }
}
