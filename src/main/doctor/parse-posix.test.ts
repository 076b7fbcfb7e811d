import { describe, expect, it } from 'vitest';
import {
  parseCount,
  parseFindmnt,
  parseMacMount,
  parseMdutil,
  parseMountInfo,
  parseTmutil,
  reflinkError,
} from './parse-posix.ts';
import { FINDMNT_STACKED, MDUTIL, TMUTIL } from './testing/recorded-outputs.ts';

const MOUNT_INFO = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '30 22 0:25 / /home/a\\040b rw,noexec - nfs4 server:/x rw',
  '31 22 0:26 / /home/a\\040b rw,relatime shared:1 - btrfs /dev/sdb rw',
  '',
].join('\n');

const MAC_MOUNT = [
  '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
  '/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)',
  '//ada@nas/work on /Volumes/work (smb) (smbfs, nodev, nosuid, mounted by ada)',
].join('\n');

describe('mounts', () => {
  it('takes the upper one of two on top of each other', () => {
    expect(parseFindmnt(FINDMNT_STACKED)).toMatchObject({
      type: 'tmpfs',
      mountPoint: '/dev/shm',
      options: expect.arrayContaining(['noexec']),
    });
    expect(parseMountInfo(MOUNT_INFO, '/home/a b/slots')).toEqual({
      type: 'btrfs',
      mountPoint: '/home/a b',
      source: '/dev/sdb',
      options: ['rw', 'relatime'],
    });
  });

  it('does not take a name that only begins alike', () => {
    expect(parseMountInfo(MOUNT_INFO, '/home/a bc')?.mountPoint).toBe('/');
  });

  it('reads those of macOS', () => {
    expect(parseMacMount(MAC_MOUNT, '/Volumes/work (smb)/slots')).toMatchObject({ type: 'smbfs' });
    expect(parseMacMount(MAC_MOUNT, '/Users/ada')).toMatchObject({ type: 'apfs', mountPoint: '/' });
  });

  it.each(['', 'findmnt: unknown option', '{"filesystems":[]}'])('gives nothing for %s', (text) => {
    expect(parseFindmnt(text)).toBeUndefined();
    expect(parseMountInfo(text, '/x')).toBeUndefined();
    expect(parseMacMount(text, '/x')).toBeUndefined();
  });
});

it('reads Spotlight and Time Machine, and takes other words for unknown', () => {
  expect(Object.values(MDUTIL).map(parseMdutil)).toEqual([false, true, undefined]);
  expect(parseMdutil('Error: unknown indexing state.\n')).toBeUndefined();
  expect(Object.values(TMUTIL).map(parseTmutil)).toEqual([false, true]);
  for (const text of ['', '[Ausgeschlossen] /Users/a/slots', '[UnknownVolume] /x']) {
    expect(parseTmutil(text)).toBeUndefined();
  }
});

it('reads counts of the kernel and nothing else', () => {
  expect(['192536\n', '128', '', 'many', '-1'].map(parseCount)).toEqual([
    192536,
    128,
    undefined,
    undefined,
    undefined,
  ]);
});

it('takes only an unsupported clone for a no', () => {
  expect(['ENOTSUP', 'ENOSYS', 'EACCES', 'ENOSPC', undefined].map(reflinkError)).toEqual([
    false,
    false,
    undefined,
    undefined,
    undefined,
  ]);
});
