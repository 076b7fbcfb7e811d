import { formatBytes } from '../../shared/sizes.ts';
import type { FileSystem } from './facts.ts';
import type { Judge } from './finding.ts';

/** A handful of slots with their installs. */
const LOW_BYTES = 10 * 1024 ** 3;
/** One install of a large front end takes some ten thousand. */
const LOW_INODES = 200_000;

const NETWORK = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  'afpfs',
  'webdav',
  '9p',
  'v9fs',
  'drvfs',
  'ceph',
  'glusterfs',
  'virtiofs',
  'vboxsf',
  'prl_fs',
  'network drive',
]);
const MEMORY = new Set(['tmpfs', 'ramfs']);
const NO_LINKS = new Set(['vfat', 'msdos', 'exfat', 'fat', 'fat32']);

/** Pure: what kind of file system it is for our purposes. */
export function kindOf(type: string): 'network' | 'fuse' | 'memory' | 'fat' | 'local' {
  const name = type.toLowerCase();
  if (NETWORK.has(name)) return 'network';
  if (name.startsWith('fuse') || name.includes('fuse')) return 'fuse';
  if (MEMORY.has(name)) return 'memory';
  if (NO_LINKS.has(name)) return 'fat';
  return 'local';
}

const placeText = ({ type, mountPoint, source }: FileSystem): string =>
  `${type} on ${mountPoint}${source === '' ? '' : ` (${source})`}`;

const MOVE = 'Set HEADWAY_HOME to a directory on a local disk.';

export const judgeVolume: Judge = (facts) => {
  const id = 'volume';
  const title = 'Volume of the slots';
  const { fileSystem } = facts;
  if (!fileSystem.known) return { id, title, status: 'unknown', found: fileSystem.why };
  const found = placeText(fileSystem.value);
  switch (kindOf(fileSystem.value.type)) {
    case 'network':
      return {
        id,
        title,
        status: 'problem',
        found: `${found}: over a network or shared from a host`,
        cost: 'Each of the many small files of an install is a round trip; locks and change notices may be missing. Warm slots become slower than cold ones elsewhere.',
        remedy: MOVE,
      };
    case 'fuse':
      return {
        id,
        title,
        status: 'problem',
        found: `${found}: served by a program (FUSE)`,
        cost: 'Every file operation goes through that program; installs take several times as long, and links may be missing.',
        remedy: MOVE,
      };
    case 'memory':
      return {
        id,
        title,
        status: 'problem',
        found: `${found}: in memory`,
        cost: 'Slots take RAM away from agents, and are gone after a restart, with work that is kept in them.',
        remedy: MOVE,
      };
    case 'fat':
      return {
        id,
        title,
        status: 'problem',
        found: `${found}: without links and permissions`,
        cost: 'Package managers and git need both: installs fail or are copied in full.',
        remedy: MOVE,
      };
    case 'local':
      return { id, title, status: 'ok', found };
  }
};

export const judgeSpace: Judge = ({ space }) => {
  const id = 'space';
  const title = 'Free space';
  if (!space.known) return { id, title, status: 'unknown', found: space.why };
  const { freeBytes, totalBytes } = space.value;
  const found = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`;
  if (freeBytes >= LOW_BYTES) return { id, title, status: 'ok', found };
  return {
    id,
    title,
    status: 'problem',
    found,
    cost: 'An install that runs out of space fails in the middle, and the job with it.',
    remedy:
      'Free some space, remove slots (`headway slots remove SLOT`), or set HEADWAY_HOME to a larger volume.',
  };
};

export const judgeInodes: Judge = ({ space, platform }) => {
  if (platform === 'win32') return undefined;
  const id = 'inodes';
  const title = 'Free inodes';
  if (!space.known) return { id, title, status: 'unknown', found: space.why };
  const { inodes } = space.value;
  if (!inodes) return { id, title, status: 'ok', found: 'the file system makes them as needed' };
  const found = `${inodes.free} of ${inodes.total} free`;
  if (inodes.free >= LOW_INODES) return { id, title, status: 'ok', found };
  return {
    id,
    title,
    status: 'problem',
    found,
    cost: 'Each file takes one, and an install has tens of thousands: "no space left" comes while there is space.',
    remedy: 'Remove files (old node_modules are the usual mass), or set HEADWAY_HOME to another volume.',
  };
};

export const judgeExecutable: Judge = ({ executable, fileSystem, platform }) => {
  if (platform === 'win32') return undefined;
  const id = 'noexec';
  const title = 'Programs may start there';
  if (executable.known && executable.value) return { id, title, status: 'ok', found: 'yes, tried' };
  const mounted = fileSystem.known && fileSystem.value.options.includes('noexec');
  if (!executable.known && !mounted) return { id, title, status: 'unknown', found: executable.why };
  return {
    id,
    title,
    status: 'problem',
    found: mounted ? 'no: mounted with noexec' : 'no, tried',
    cost: 'Native modules, and every tool in node_modules/.bin, fail with "permission denied".',
    remedy: 'Mount the volume without noexec, or set HEADWAY_HOME to another one.',
    ...(mounted
      ? {
          fix: {
            kind: 'command',
            file: 'mount',
            args: ['-o', 'remount,exec', fileSystem.value.mountPoint],
            elevated: true,
          },
        }
      : {}),
  };
};
