import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHeld } from '../testing/held-socket.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'headway-trees-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const STUBBORN = `process.on('SIGTERM', () => {}); require('node:net').createServer().listen('held', () => console.log('up'))`;
const url = (file: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href);

describe.runIf(process.platform !== 'win32')('what a process started', () => {
  it.each([
    ['leaves in a hurry', 'process.exit(1)'],
    ['meets an error that nobody catches', "throw new Error('nobody catches this')"],
  ])('ends with it where it %s', async (_, leaves) => {
    const command = { file: process.execPath, args: ['-e', STUBBORN] };
    const script = `const { run } = await import(${url('./run.ts')});
      void run({ command: ${JSON.stringify(command)}, cwd: ${JSON.stringify(dir)}, env: { PATH: process.env.PATH },
        onOutput: () => setImmediate(() => { ${leaves}; }) });
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
      stdio: 'ignore',
    });
    await once(child, 'exit');
    // The kernel ends a namespace just after its first process: until then the socket is still held.
    while (await isHeld(join(dir, 'held'))) await new Promise(setImmediate);
    expect(child.exitCode).toBe(1);
  });
});
