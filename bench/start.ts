import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, verdict } from './support/figures.ts';

/**
 * From the start of the process to `headway serve` being ready (store open and migrated, lost jobs taken over, port
 * listening), against a bare start of the same Node. The rounds alternate.
 */
const ROUNDS = 15;
const TARGET = 2.5;
const root = join(import.meta.dirname, '..');

async function bareMs(): Promise<number> {
  const startedMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close');
  return performance.now() - startedMs;
}

async function serveMs(home: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    [join(root, 'bin', 'headway.mjs'), 'serve', '--port', '0', '--json'],
    {
      env: { ...process.env, HEADWAY_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const ms = performance.now() - startedMs;
  if (!first.includes('"serving"')) throw new Error(`serve said: ${first.toString('utf8')}`);
  child.kill('SIGTERM');
  await once(child, 'close');
  return ms;
}

async function run(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'headway-bench-start-'));
  const bare: number[] = [];
  const serve: number[] = [];
  try {
    await serveMs(home); // the first start makes the database and fills the code cache
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await bareMs());
      serve.push(await serveMs(home));
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const ratio = median(serve) / median(bare);
  console.log(`bare node          ${median(bare).toFixed(1)} ms`);
  console.log(`headway serve      ${median(serve).toFixed(1)} ms   ${ratio.toFixed(2)} x bare`);
  verdict(`serve <= ${TARGET} x bare node`, ratio <= TARGET);
}

await run();
