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

/** Bytes of the shared-memory file of a WAL database that a writer and the readers lock. */
const WRITER = { kind: 'WRITE', first: 120, last: 120 };
const READERS = { kind: 'READ', first: 123, last: 127 };

/** Who is in the middle of a change of this SQLite database (WAL). Undefined: nobody, or it cannot be seen (Linux shows it). */
export const writerOf = (database: string): Holder | undefined => lockerOf(database, WRITER);

/** Another process that reads in this SQLite database (WAL) just now; undefined as for `writerOf`. */
export const readerOf = (database: string): Holder | undefined => lockerOf(database, READERS);

function lockerOf(database: string, wanted: typeof WRITER): Holder | undefined {
  const locks = read('/proc/locks');
  if (locks === '') return undefined;
  let inode: number;
  try {
    inode = statSync(`${database}-shm`).ino;
  } catch {
    return undefined; // nobody has it open
  }
  for (const line of locks.split('\n')) {
    const match = /POSIX\s+\S+\s+(\w+)\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+)\s+(\d+)\s+(\d+)/.exec(line);
    if (!match || match[1] !== wanted.kind || Number(match[3]) !== inode) continue;
    const [pid, first, last] = [match[2], match[4], match[5]].map(Number) as [number, number, number];
    if (pid !== process.pid && first <= wanted.last && last >= wanted.first) return holder(pid);
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
