import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from '@playwright/test';
import { findBrowser } from '../../../scripts/ensure-browser.mjs';
import { BROWSER_ARGS } from '../browser.ts';

const root = join(import.meta.dirname, '..', '..', '..');

export type Call = { call: string } & Record<string, unknown>;

/** A browser for the stand-in's windows, and the built desktop host started on it. */
export interface Desktop extends AsyncDisposable {
  home: string;
  /** The browser's pages: the stand-in opens its windows here. */
  context: BrowserContext;
  start(): ChildProcess;
  /** What the program has asked of the system so far. */
  calls(): Call[];
}

export async function openDesktop(env: NodeJS.ProcessEnv = {}): Promise<Desktop> {
  const directory = await mkdtemp(join(tmpdir(), 'headway-desktop-'));
  const profile = join(directory, 'profile');
  const home = join(directory, 'home');
  const log = join(directory, 'calls.jsonl');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    args: [...BROWSER_ARGS, '--remote-debugging-port=0'],
    viewport: null,
  });
  const [port, path] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
  const children = new Set<ChildProcess>();
  return {
    home,
    context,
    start() {
      const runner = join(import.meta.dirname, 'run.ts');
      const child = spawn(process.execPath, [runner, join(root, 'out', 'main', 'electron.js')], {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          ...process.env,
          ...env,
          HEADWAY_HOME: home,
          HEADWAY_STAND_IN_BROWSER: `ws://127.0.0.1:${port}${path}`,
          HEADWAY_STAND_IN_LOG: log,
        },
      });
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    },
    calls() {
      const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Call);
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
      await context.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
