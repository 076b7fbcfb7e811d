import { describe, expect, it } from 'vitest';
import { known, unknown } from './answer.ts';
import { judge } from './doctor.ts';
import type { Facts } from './facts.ts';
import type { Judged } from './finding.ts';
import { kindOf } from './judge-volume.ts';
import { caseTwins } from './repository-facts.ts';
import { fixText, isStartable } from './start-fix.ts';
import type { WindowsFacts } from './windows-facts.ts';

const GIB = 1024 ** 3;
const linux: Facts = {
  platform: 'linux',
  root: '/home/ada/.local/share/headway/slots',
  space: known({ freeBytes: 80 * GIB, totalBytes: 200 * GIB, inodes: { free: 9e6, total: 1e7 } }),
  fileSystem: known({ type: 'ext4', mountPoint: '/', source: '/dev/vda', options: ['rw'] }),
  caseSensitive: known(true),
  hardLinks: known(true),
  reflinks: known(false),
  executable: known(true),
  stores: known([]),
  linux: { maxWatches: known(524_288), maxInstances: known(1024) },
};
const clean: WindowsFacts = {
  elevated: known(false),
  devDrive: known('trusted'),
  defender: known(true),
  otherScanners: [],
  excluded: known(true),
  managed: false,
  performanceMode: known(true),
  longPaths: known(true),
  gitLongPaths: known(true),
};
const windows = (change: Partial<WindowsFacts> = {}, more: Partial<Facts> = {}): Facts => {
  const { linux: _, ...rest } = linux;
  return {
    ...rest,
    platform: 'win32',
    root: 'D:\\hw\\slots',
    caseSensitive: known(false),
    windows: { ...clean, ...change },
    ...more,
  };
};
const macos = (indexing: boolean, marked: boolean, backedUp: boolean): Facts => {
  const { linux: _, ...rest } = linux;
  const answers = { indexing: known(indexing), marked, backedUp: known(backedUp) };
  return { ...rest, platform: 'darwin', root: '/Users/a/slots', macos: answers };
};
const statuses = (facts: Facts): Record<string, string> =>
  Object.fromEntries(judge(facts).map(({ id, status }) => [id, status]));
const finding = (facts: Facts, id: string): Judged => {
  const found = judge(facts).find((each) => each.id === id);
  if (!found) throw new Error(`no finding ${id}`);
  return found;
};
const fileSystem = (type: string, options: string[] = []): Partial<Facts> => ({
  fileSystem: known({ type, mountPoint: '/mnt', source: '', options }),
});

const BAD: [string, Facts][] = [
  ['volume', { ...linux, ...fileSystem('nfs4') }],
  ['volume', { ...linux, ...fileSystem('fuse.sshfs') }],
  ['volume', { ...linux, ...fileSystem('tmpfs') }],
  ['volume', { ...linux, ...fileSystem('exfat') }],
  ['space', { ...linux, space: known({ freeBytes: 2 * GIB, totalBytes: 200 * GIB }) }],
  [
    'inodes',
    { ...linux, space: known({ freeBytes: 80 * GIB, totalBytes: 1, inodes: { free: 0, total: 1e7 } }) },
  ],
  ['noexec', { ...linux, executable: known(false), ...fileSystem('ext4', ['rw', 'noexec']) }],
  ['noexec', { ...linux, executable: known(false) }],
  ['package-store', { ...linux, stores: known([{ manager: 'pnpm', path: '/x', sameVolume: false }]) }],
  ['package-store', { ...linux, stores: known([{ manager: 'bun', path: '/x', sameVolume: false }]) }],
  ['reflinks', { ...linux, hardLinks: known(false) }],
  [
    'case',
    {
      ...linux,
      caseSensitive: known(false),
      repository: { name: 'r', longestPath: 9, caseTwins: [['A', 'a']] },
    },
  ],
  ['inotify-watches', { ...linux, linux: { maxWatches: known(8192), maxInstances: known(1024) } }],
  ['inotify-instances', { ...linux, linux: { maxWatches: known(1e6), maxInstances: known(128) } }],
  ['spotlight', macos(true, false, false)],
  ['time-machine', macos(false, false, true)],
  ['dev-drive', windows({ devDrive: known('untrusted') })],
  ['dev-drive', windows({ devDrive: known('no'), excluded: known(false) })],
  ['defender-exclusion', windows({ excluded: known(false) })],
  ['long-paths', windows({ longPaths: known(false) })],
  ['long-paths', windows({ gitLongPaths: known(false) })],
  ['long-paths', windows({}, { root: `D:\\${'deep\\'.repeat(14)}slots` })],
];

describe('judges', () => {
  it('find nothing wrong where nothing is', () => {
    for (const facts of [linux, windows(), macos(false, false, false), macos(true, true, false)]) {
      expect(new Set(Object.values(statuses(facts)))).toEqual(new Set(['ok']));
    }
  });

  it.each(BAD)('find a problem with %s, say what it costs and what to do', (id, facts) => {
    expect(finding(facts, id)).toMatchObject({
      status: 'problem',
      cost: expect.stringMatching(/\.$/),
      remedy: expect.stringMatching(/\S/),
    });
  });

  it('never guess: what is unknown stays unknown, with its reason', () => {
    const why = unknown('nobody knows');
    const posix: Facts = {
      ...linux,
      space: why,
      fileSystem: why,
      caseSensitive: why,
      hardLinks: why,
      reflinks: why,
      executable: why,
      stores: why,
      linux: { maxWatches: why, maxInstances: why },
    };
    const facts = [
      posix,
      { ...macos(true, true, true), macos: { indexing: why, marked: true, backedUp: why } },
      windows({ devDrive: why, defender: why, excluded: why, longPaths: why }),
    ];
    for (const each of facts) {
      for (const { id, status, found } of judge(each)) {
        if (status === 'unknown') expect(found).not.toBe('');
        else if (each === posix) throw new Error(`${id} is ${status} out of nothing`);
      }
    }
    expect(statuses(facts[2] as Facts)).toMatchObject({
      'dev-drive': 'unknown',
      defender: 'unknown',
      'defender-exclusion': 'unknown',
      'long-paths': 'unknown',
    });
  });

  it('offer to exclude the slots where Defender scans and the list does not hold them, or can not be seen', () => {
    const fix = { kind: 'helper', request: { exclude: 'D:\\hw\\slots' } };
    expect(finding(windows({ excluded: known(false) }), 'defender-exclusion').fix).toEqual(fix);
    expect(finding(windows({ excluded: unknown('for administrators') }), 'defender-exclusion')).toMatchObject(
      {
        status: 'unknown',
        fix,
      },
    );
  });

  it.each([
    ['another product scans', windows({ excluded: known(false), otherScanners: ['Norton Security'] })],
    ['Defender is off', windows({ excluded: known(false), defender: known(false) })],
    ['the list is managed', windows({ excluded: known(false), managed: true })],
    ['the folder is a home', windows({ excluded: known(false) }, { root: 'C:\\Users\\ada' })],
    ['it is done', windows()],
  ])('do not ask for an administrator where %s', (_, facts) => {
    expect(finding(facts, 'defender-exclusion').fix).toBeUndefined();
  });

  it('do not call an ordinary volume a problem where nothing scans it', () => {
    expect(statuses(windows({ devDrive: known('no') }))['dev-drive']).toBe('ok');
    expect(statuses(windows({ devDrive: known('unsupported') }))['dev-drive']).toBe('ok');
  });

  it.each([
    ['nfs', 'network'],
    ['9p', 'network'],
    ['smbfs', 'network'],
    ['fuseblk', 'fuse'],
    ['macfuse', 'fuse'],
    ['overlay', 'local'],
    ['apfs', 'local'],
    ['ReFS', 'local'],
    ['FAT32', 'fat'],
  ])('know what %s is', (type, kind) => {
    expect(kindOf(type)).toBe(kind);
  });
});

it('finds names that are one file where case does not count, whatever their Unicode form', () => {
  const composed = 'caf\u00e9.txt';
  const apart = 'Cafe\u0301.TXT';
  expect(caseTwins(['src/a.ts', 'SRC/A.ts', 'b.ts', composed, apart])).toEqual([
    ['src/a.ts', 'SRC/A.ts'],
    [composed, apart],
  ]);
});

describe('fixes', () => {
  const mend = finding(
    { ...linux, linux: { maxWatches: known(1), maxInstances: known(1) } },
    'inotify-watches',
  ).fix;
  if (!mend) throw new Error('no fix');

  it('are shown with sudo to a user, and started by root', () => {
    const user = { platform: 'linux', root: false };
    expect(fixText('x', mend, user)).toMatch(/^sudo sh -c 'echo fs\.inotify\.max_user_watches=524288 > /);
    expect(isStartable(mend, user)).toBe(false);
    expect(isStartable(mend, { platform: 'linux', root: true })).toBe(true);
  });

  it('are started by the prompt of Windows where the helper does them', () => {
    const powers = { platform: 'win32', root: false };
    const helper = finding(windows({ longPaths: known(false) }), 'long-paths').fix;
    const trust = finding(windows({ devDrive: known('untrusted') }), 'dev-drive').fix;
    if (!helper || !trust) throw new Error('no fix');
    expect([isStartable(helper, powers), fixText('long-paths', helper, powers)]).toEqual([
      true,
      'headway slots doctor --fix long-paths',
    ]);
    expect([isStartable(trust, powers), fixText('dev-drive', trust, powers)]).toEqual([
      false,
      'fsutil devdrv trust D:',
    ]);
  });
});
