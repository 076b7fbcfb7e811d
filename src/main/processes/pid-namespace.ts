import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from './environment.ts';

/*
 * A process tree of its own that nothing leaves. On Linux a process may give up its parent, its session, its directory and its
 * environment, and is then no longer found; but its process namespace it keeps, and when the first process of a namespace ends, the
 * kernel ends all others in it.
 */

export type Program = { file: string; args: readonly string[] };

/** Wraps a program so that it runs in a process namespace of its own. */
export type Confinement = (program: Program) => Program;

/** `off` starts what agents and gates run as before, e.g. where an agent needs sudo and Headway does not run as root. */
const SWITCH = 'HEADWAY_PID_NAMESPACE';

/**
 * The first process of the namespace: it waits for the program, takes in what was orphaned, and ends with the program's exit code. What the
 * shell itself would say of a program that was ended by a signal is no output of the program.
 */
const FIRST = ['/bin/sh', '-c', 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?', 'headway'];

const SYSTEM = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const PROBE_TIMEOUT_MS = 10_000;

/** Where the system has a program. Its own directories first: others may be open to an agent. */
function systemProgram(name: string): string | undefined {
  const directories = [...SYSTEM, ...(process.env.PATH ?? '').split(delimiter).filter(isAbsolute)];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

/** Every way to get one, the one that changes least first. */
function ways(): Confinement[] {
  const found: Confinement[] = [];
  const unshare = systemProgram('unshare');
  if (unshare !== undefined) {
    const options = ['--pid', '--fork', '--kill-child', '--mount-proc'];
    // Without root's rights only in a user namespace, in which files of other users show as nobody's.
    const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
    found.push(({ file, args }) => ({
      file: unshare,
      args: [...user, ...options, '--', ...FIRST, file, ...args],
    }));
  }
  const bwrap = systemProgram('bwrap');
  if (bwrap !== undefined) {
    const options = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];
    found.push(({ file, args }) => ({ file: bwrap, args: [...options, '--', ...FIRST, file, ...args] }));
  }
  return found;
}

/** Whether a way works here: containers, hardened kernels and old tools refuse some or all of them. */
async function works(way: Confinement): Promise<boolean> {
  const { file, args } = way({
    file: '/bin/sh',
    args: ['-c', 'read -r id rest </proc/self/stat; echo "$id"'],
  });
  const { stdout } = await promisify(process.getBuiltinModule('node:child_process').execFile)(
    file,
    [...args],
    {
      env: { PATH: SYSTEM.join(delimiter) },
      timeout: PROBE_TIMEOUT_MS,
    },
  );
  const id = Number(stdout);
  return id > 0 && id < 10;
}

async function find(): Promise<Confinement | undefined> {
  if (process.platform !== 'linux' || process.env[SWITCH] === 'off') return undefined;
  for (const way of ways()) if (await works(way).catch(() => false)) return way;
  return undefined;
}

let known: Promise<Confinement | undefined> | undefined;

/** How process namespaces are had on this machine; undefined where they are not. Asked once for a process. */
export function pidNamespace(): Promise<Confinement | undefined> {
  known ??= find();
  return known;
}

/** Pure but for looking at the disk: whether the program would start at all. What would not is left to say so by itself. */
export function canStart(file: string, cwd: string, env: Environment): boolean {
  if (!existsSync(cwd)) return false;
  if (file.includes('/')) return isProgram(resolve(cwd, file));
  return (env.PATH ?? '').split(delimiter).some((directory) => isProgram(resolve(cwd, directory, file)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** By which signals a program is seen to have ended, where a shell in between reports codes alone. */
const SIGNALS: Readonly<Record<number, NodeJS.Signals>> = {
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
};

export const signalOf = (exit: number | null): NodeJS.Signals | null => SIGNALS[exit ?? 0] ?? null;
