import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** The process that holds what others wait for. `suspended`: it will not let go before somebody continues it. */
export type Holder = { pid: number; suspended: boolean };

export const holderWords = ({ pid, suspended }: Holder): string =>
  suspended ? `process ${pid}, which is suspended,` : `process ${pid}`;

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // not Linux, ended while we looked, or another user's
  }
}

function holder(pid: number): Holder | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  const [state = ''] = stat.slice(stat.lastIndexOf(')') + 2);
  return { pid, suspended: state === 'T' || state === 't' };
}

/** Byte of the shared-memory file that a writer of a WAL database locks. */
const WRITE_LOCK_BYTE = 120;

/** Who is in the middle of a change of this SQLite database (WAL). Undefined: nobody, or it cannot be seen (Linux shows it). */
export function writerOf(database: string): Holder | undefined {
  const locks = read('/proc/locks');
  if (locks === '') return undefined;
  let inode: number;
  try {
    inode = statSync(`${database}-shm`).ino;
  } catch {
    return undefined; // nobody has it open
  }
  for (const line of locks.split('\n')) {
    const match = /POSIX\s+\S+\s+WRITE\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+)\s+(\d+)\s+(\d+|EOF)/.exec(line);
    if (!match || Number(match[2]) !== inode) continue;
    const [first, last] = [
      Number(match[3]),
      match[4] === 'EOF' ? Number.POSITIVE_INFINITY : Number(match[4]),
    ];
    if (first <= WRITE_LOCK_BYTE && last >= WRITE_LOCK_BYTE) return holder(Number(match[1]));
  }
  return undefined;
}

/** Who listens at an abstract socket of this name. Undefined: nobody, or it cannot be seen (Linux shows it). */
export function listenerAt(name: string): Holder | undefined {
  // Num RefCount Protocol Flags Type St Inode Path; flag 10000: it listens.
  const line = read('/proc/net/unix')
    .split('\n')
    .find((row) => row.endsWith(` @${name}`) && row.split(/\s+/)[3] === '00010000');
  const inode = line?.trim().split(/\s+/)[6];
  if (inode === undefined) return undefined;
  const wanted = `socket:[${inode}]`;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const found = readdirSync(`/proc/${pid}/fd`).some(
        (fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === wanted,
      );
      if (found) return holder(Number(pid));
    } catch {
      // ended while we looked, or another user's
    }
  }
  return undefined;
}
