import { chmod, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctorReportSchema } from '../../shared/doctor.ts';
import { git } from '../git/git.ts';
import { examineSlotRoot } from './doctor.ts';
import { type Exec, systemExec } from './exec.ts';
import { collectMacos } from './macos.ts';
import { MDUTIL, PROBES, TMUTIL } from './testing/recorded-outputs.ts';
import { collectWindows } from './windows.ts';

describe('examineSlotRoot', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await realpath(await mkdtemp(join(tmpdir(), 'headway-doctor-test-')));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  it('finds out what this machine can do, and leaves nothing there', async () => {
    const root = join(dir, 'home', 'slots');
    const report = doctorReportSchema.parse(await examineSlotRoot({ root, now: () => 7 }));
    expect(report).toMatchObject({ root, platform: process.platform, at: 7 });
    const found = Object.fromEntries(report.findings.map((each) => [each.id, each]));
    expect(found.space?.found).toMatch(/ of [\d.]+ [GT]B free/);
    expect(found.volume?.status).not.toBe('unknown');
    expect(found.case?.status).toBe('ok');
    expect(await readdir(root)).toEqual([]);
  });

  it('looks at the real place, and at the repository that is named', async () => {
    await symlink(dir, join(dir, 'link'));
    const path = join(dir, 'repository');
    await git(['init', '--quiet', path], { cwd: dir });
    await writeFile(join(path, 'pnpm-lock.yaml'), '');
    await git(['add', '.'], { cwd: path });
    const asked: string[] = [];
    const exec: Exec = async (file, args, options) => {
      if (!file.startsWith('pnpm')) return systemExec(file, args, options);
      asked.push(`${args.join(' ')} in ${options?.cwd}`);
      return { exit: 0, stdout: `${join(dir, 'not-there-yet', 'v10')}\n`, stderr: '' };
    };
    const root = join(dir, 'link', 'slots');
    const report = await examineSlotRoot({ root, repository: { path, name: 'r' }, exec });
    expect(report.root).toBe(join(dir, 'slots'));
    expect(asked).toEqual([`store path in ${join(dir, 'slots')}`]);
    expect(report.findings.find(({ id }) => id === 'package-store')).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('not-there-yet'),
    });
  });

  it.runIf(process.platform === 'linux')(
    'tries whether programs start, whatever the mount says',
    async () => {
      const exec: Exec = async (file, args, options) => {
        // As a shell ends on a volume that is mounted with noexec.
        if (file === '/bin/sh') return { exit: 126, stdout: '', stderr: 'sh: 1: Probe: Permission denied' };
        return systemExec(file, args, options);
      };
      const { findings } = await examineSlotRoot({ root: dir, exec });
      expect(findings.find(({ id }) => id === 'noexec')).toMatchObject({ status: 'problem' });
    },
  );

  it.runIf(process.platform === 'linux')('starts one fix, and looks again', async () => {
    let instances = 0;
    const ran: string[] = [];
    const exec: Exec = async (file, args, options) => {
      if (file !== 'mount')
        return file === '/bin/sh' ? { exit: 126, stdout: '', stderr: '' } : stacked(file, args, options);
      ran.push([file, ...args].join(' '));
      instances += 1;
      return { exit: 0, stdout: '', stderr: '' };
    };
    const stacked: Exec = async (file) => {
      if (file !== 'findmnt') return undefined;
      const options = instances > 0 ? 'rw' : 'rw,noexec';
      const filesystems = [{ target: '/mnt', source: '/dev/sdb', fstype: 'ext4', options }];
      return { exit: 0, stdout: JSON.stringify({ filesystems }), stderr: '' };
    };
    const user = await examineSlotRoot({
      root: dir,
      fix: 'noexec',
      exec,
      powers: { platform: 'linux', root: false },
    });
    expect(user.fixed).toEqual({
      id: 'noexec',
      done: false,
      text: 'it needs an administrator; run this yourself: sudo mount -o remount,exec /mnt',
    });
    expect(ran).toEqual([]);
    const root = await examineSlotRoot({
      root: dir,
      fix: 'noexec',
      exec,
      powers: { platform: 'linux', root: true },
    });
    expect(root.fixed).toMatchObject({ done: true });
    expect(ran).toEqual(['mount -o remount,exec /mnt']);
    expect(root.findings.find(({ id }) => id === 'noexec')?.found).toBe('no, tried');
  });

  it('refuses a fix that is none, and a place that can not be made', async () => {
    await expect(examineSlotRoot({ root: dir, fix: 'nonsense' })).rejects.toMatchObject({
      code: 'bad-input',
    });
    expect((await examineSlotRoot({ root: dir, fix: 'case' })).fixed).toMatchObject({ done: true });
    await writeFile(join(dir, 'file'), '');
    await chmod(join(dir, 'file'), 0o444);
    await expect(examineSlotRoot({ root: join(dir, 'file', 'slots') })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('collectors of other platforms, over what their programs printed', () => {
  it('Windows: one process for all, and unknown where it says nothing', async () => {
    const files: string[] = [];
    const answer =
      (stdout: string): Exec =>
      async (file) => {
        files.push(file);
        return file === 'git' ? { exit: 1, stdout: '', stderr: '' } : { exit: 0, stdout, stderr: '' };
      };
    const facts = await collectWindows('D:\\slots', answer(`${PROBES.user}\r\n`));
    expect(facts.fileSystem).toMatchObject({ known: true, value: { type: 'ReFS', mountPoint: 'D:\\' } });
    expect(facts.windows).toMatchObject({ defender: { value: true }, gitLongPaths: { value: false } });
    expect(files).toHaveLength(2);
    const none = await collectWindows('D:\\slots', async () => undefined);
    expect(none.fileSystem.known).toBe(false);
    expect(none.windows?.excluded.known).toBe(false);
  });

  it('macOS: Spotlight, Time Machine and the mount', async () => {
    const outputs: Record<string, string> = {
      '/sbin/mount': '/dev/disk3s5 on / (apfs, local, journaled)\n',
      '/usr/bin/mdutil': MDUTIL.enabled,
      '/usr/bin/tmutil': TMUTIL.included,
    };
    const facts = await collectMacos('/Users/a/slots', async (file) => ({
      exit: 0,
      stdout: outputs[file] ?? '',
      stderr: '',
    }));
    expect(facts).toMatchObject({
      fileSystem: { value: { type: 'apfs' } },
      macos: { indexing: { value: true }, marked: false, backedUp: { value: true } },
    });
    const none = await collectMacos('/Users/a/slots', async () => undefined);
    expect([none.fileSystem.known, none.macos?.indexing.known, none.macos?.backedUp.known]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
