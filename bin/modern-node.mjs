import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Native parts crash a Node much older than this. */
const OLDEST_NODE = '22.12';

export const root = join(fileURLToPath(import.meta.url), '..', '..');

/** Pure: compares major and minor number. */
function isAtLeast(version, oldest) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** The Node that the project brings as a development dependency; undefined where it is not installed. */
export async function findOwnNode() {
  // Not an import at the top: a start on a new enough Node would wait for all that it makes Node load.
  const { existsSync } = await import('node:fs');
  const path = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(path) ? path : undefined;
}

/**
 * True: this Node will do. Otherwise the same command has been started on the project's own Node, or a line has said
 * what is needed; the caller just returns.
 */
export async function isModernNode() {
  if (isAtLeast(process.versions.node, OLDEST_NODE)) return true;
  const node = await findOwnNode();
  if (node === undefined) {
    console.error(
      `Headway needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}. Install a newer Node, or run \`npm ci\` here, which brings one.`,
    );
    process.exitCode = 2;
    return false;
  }
  void runInstead(node, process.argv.slice(1));
  return false;
}

/**
 * Becomes another program as far as Node lets it: the same terminal, signals passed on, the same exit.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, onExit?: (code: number | null) => boolean }} [options] `onExit` returns true
 *   where it takes care of the end itself.
 */
export async function runInstead(command, args, { env = process.env, onExit } = {}) {
  const { spawn } = await import('node:child_process');
  const child = spawn(command, args, { stdio: 'inherit', env });
  const passOn = (signal) => child.kill(signal);
  // A terminal sends Ctrl+C to both by itself, and a second one may mean more than the first.
  process.on('SIGINT', process.stdin.isTTY ? () => {} : passOn);
  process.on('SIGTERM', passOn);
  process.on('SIGHUP', passOn);
  child.on('error', (error) => {
    if (onExit?.(127)) return;
    console.error(`${command} can't be started: ${error.message}`);
    process.exitCode = 2;
  });
  child.on('exit', (code, signal) => {
    process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM').removeAllListeners('SIGHUP');
    if (onExit?.(code)) return;
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
}
