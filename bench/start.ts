import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, verdict } from './support/figures.ts';

/**
 * From the start of the process to `headway serve` being ready (store open and migrated, lost jobs taken over, port
 * listening), against a bare start of the same Node. The rounds alternate. What starts is an installed copy: built, and
 * without sources that would have to be compared with the build.
 */
const ROUNDS = 15;
const TARGET = 2.5;
const root = join(import.meta.dirname, '..');

async function bareMs(): Promise<number> {
  const startedMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close');
  return performance.now() - startedMs;
}

function installCopy(dir: string): string {
  for (const part of ['bin', 'out', 'package.json'])
    cpSync(join(root, part), join(dir, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'dir');
  return join(dir, 'bin', 'headway.mjs');
}

async function serveMs(headway: string, home: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [headway, 'serve', '--port', '0', '--json'], {
    env: { ...process.env, HEADWAY_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const ms = performance.now() - startedMs;
  if (!first.includes('"serving"')) throw new Error(`serve said: ${first.toString('utf8')}`);
  child.kill('SIGTERM');
  await once(child, 'close');
  return ms;
}

async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'headway-bench-start-'));
  const headway = installCopy(dir);
  const home = join(dir, 'home');
  const bare: number[] = [];
  const serve: number[] = [];
  try {
    await serveMs(headway, home); // the first start makes the database and fills the code cache
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await bareMs());
      serve.push(await serveMs(headway, home));
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const ratio = median(serve) / median(bare);
  console.log(`bare node          ${median(bare).toFixed(1)} ms`);
  console.log(`headway serve      ${median(serve).toFixed(1)} ms   ${ratio.toFixed(2)} x bare`);
  verdict(`serve <= ${TARGET} x bare node`, ratio <= TARGET);
}

await run();
