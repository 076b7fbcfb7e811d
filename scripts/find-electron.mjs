import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bin/modern-node.mjs';

const PROBE_MS = 5000;
const DOWNLOAD_MS = 5 * 60_000;

const packageDir = join(root, 'node_modules', 'electron');

/** Electron's program, if it has been fetched. */
export function findElectronBinary() {
  try {
    const path = join(packageDir, 'dist', readFileSync(join(packageDir, 'path.txt'), 'utf8'));
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Pure: why a window can't be opened here whether or not there is a program for it; undefined: it can. */
export function whyNoWindow({ env, platform, uid }) {
  if (env.HEADWAY_NO_ELECTRON === '1') return 'HEADWAY_NO_ELECTRON is set';
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display';
  if (platform === 'linux' && uid === 0) return 'Chromium has no sandbox for root';
  return undefined;
}

/**
 * Electron's program, fetched if need be: one try, within a bound.
 * @returns {Promise<{ path: string } | { reason: string }>}
 */
export async function obtainElectron() {
  const uid = process.getuid?.();
  const reason = whyNoWindow({ env: process.env, platform: process.platform, uid });
  if (reason) return { reason };
  const present = findElectronBinary();
  if (present) return { path: present };
  if (!existsSync(join(packageDir, 'install.js'))) return { reason: 'its package is not installed' };

  // Where its source can't be reached, a download would only find out after a long wait.
  const source =
    process.env.ELECTRON_MIRROR ?? process.env.npm_config_electron_mirror ?? 'https://github.com/';
  try {
    await fetch(source, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_MS) });
  } catch {
    return { reason: `its program is not here yet and ${new URL(source).host} can't be reached to fetch it` };
  }
  console.error('fetching Electron (once, about 120 MB) …');
  const failure = await download();
  const fetched = findElectronBinary();
  if (fetched) return { path: fetched };
  return { reason: `fetching its program failed (${failure})` };
}

/** Says in a few words what went wrong; whether anything did, the file itself tells. */
function download() {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(packageDir, 'install.js')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: DOWNLOAD_MS,
    });
    let output = '';
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      const line = output.split('\n').find((text) => text.trim() !== '');
      resolve(signal ? `it took longer than ${DOWNLOAD_MS / 60_000} min` : (line ?? `exit code ${code}`));
    });
  });
}
