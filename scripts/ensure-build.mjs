import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findOwnNode, root } from '../bin/modern-node.mjs';
import { isFresh } from './build-stamp.mjs';

/**
 * Builds out/ if it is missing or older than the sources. Says nothing unless it builds; then one line on standard
 * error, since standard output belongs to the command. Two callers at once build once. `force` starts from nothing.
 * @param {{ force?: boolean }} [options]
 */
export async function ensureBuild({ force = false } = {}) {
  if (!force && (await isFresh(root))) return;
  const { withLock } = await import('./build-lock.mjs');
  await withLock(join(root, 'node_modules', '.cache', 'headway-build.lock'), async () => {
    // Another process may have built while this one waited.
    if (force || !(await isFresh(root))) await build({ clean: force });
  });
}

async function build({ clean }) {
  const { spawn } = await import('node:child_process');
  const { rmSync } = await import('node:fs');
  const { dropStamp, prepareStamp, pruneOldChunks } = await import('./build-stamp.mjs');
  const startedAt = performance.now();
  process.stderr.write('building Headway … ');
  const stamp = await prepareStamp(root);
  // Whatever happens now, out/ is not what the sources say until the end.
  dropStamp(root);
  if (clean) rmSync(join(root, 'out'), { recursive: true, force: true });
  // What Node has compiled of the last build is of no use to this one.
  rmSync(join(root, 'node_modules', '.cache', 'headway-compiled'), { recursive: true, force: true });

  const bundler = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const args = [bundler, 'build', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn((await findOwnNode()) ?? process.execPath, args, { cwd: root, env });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      resolve(1);
    });
    child.on('close', resolve);
  });
  if (code !== 0) {
    process.stderr.write('failed\n');
    process.stderr.write(Buffer.concat(output));
    throw new Error('The build failed: see above. If a package is missing, run `npm ci`.');
  }
  pruneOldChunks(root);
  stamp();
  process.stderr.write(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  ensureBuild({ force: process.argv.includes('--force') }).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
