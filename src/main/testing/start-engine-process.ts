import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { EngineProcessOptions } from './engine-process.ts';

type StartOptions = EngineProcessOptions & { env?: Record<string, string> };
type Fits = (line: EngineLine) => boolean;

export type EngineLine = { type: string; [field: string]: unknown };

export interface EngineProcess {
  readonly child: ChildProcess;
  readonly lines: readonly EngineLine[];
  /** The first line that has these fields, or fits; rejects when the process ends without one. */
  said(wanted: Record<string, unknown> | Fits): Promise<EngineLine>;
  readonly ended: Promise<{ exit: number | null; stderr: string }>;
}

/** `wrap` is a command that starts the process, e.g. within limits. */
export function startEngineProcess(
  { env, ...options }: StartOptions,
  wrap: (command: readonly string[]) => readonly string[] = (command) => command,
): EngineProcess {
  const script = join(import.meta.dirname, 'engine-process.ts');
  const [file = '', ...args] = wrap([process.execPath, '--no-warnings', script, JSON.stringify(options)]);
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  const lines: EngineLine[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  let over = false;
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr += bytes.toString('utf8');
  });
  const reader = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
  const wake = (): void => {
    for (const one of waiting) one();
  };
  reader.on('line', (text) => {
    lines.push(JSON.parse(text) as EngineLine);
    wake();
  });
  const ended = Promise.all([once(child, 'close'), once(reader, 'close')]).then(([[exit]]) => {
    over = true;
    wake();
    return { exit: exit as number | null, stderr };
  });
  return {
    child,
    lines,
    ended,
    said(wanted) {
      const asked: Fits =
        typeof wanted === 'function'
          ? wanted
          : (line) => Object.entries(wanted).every(([name, value]) => fits(line[name], value));
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(asked);
          if (found) resolve(found);
          else if (over) reject(new Error(`the engine ended without ${JSON.stringify(wanted)}: ${stderr}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

const fits = (found: unknown, wanted: unknown): boolean =>
  wanted instanceof RegExp ? typeof found === 'string' && wanted.test(found) : found === wanted;
