import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** On Linux: what tells process tables apart. A start of the machine, and a name space of process ids in it. */
type LinuxTable = { boot(): string; pidNamespace(): string };

const LINUX: LinuxTable = {
  boot: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  pidNamespace: () => readlinkSync('/proc/self/ns/pid'),
};

let own: string | undefined;

/**
 * Names the process table that this process is in. Only where two processes have the same one does a process id mean the same
 * to both: containers share a host name, and a data directory, but not that. Elsewhere than on Linux it is the host name.
 */
export function processTable(): string {
  own ??= nameOf(process.platform === 'linux' ? LINUX : undefined);
  return own;
}

/** Pure but for what it is given. A table that cannot be told from others is nobody else's. */
function nameOf(linux: LinuxTable | undefined): string {
  if (!linux) return hostname();
  try {
    return `${hostname()} ${linux.boot()} ${linux.pidNamespace()}`;
  } catch {
    return `${hostname()} ${crypto.randomUUID()}`;
  }
}
