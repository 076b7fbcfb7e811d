import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canMount, canSetImmutable } from '../slots/testing/privileges.ts';
import { agent } from '../slots/testing/workshop.ts';
import { leftInTrash, noteLeft } from './left-in-trash.ts';
import { mountsBelow } from './mounts.ts';
import { deleteTree, emptyTrash, moveToTrash } from './trash.ts';

describe('the trash', () => {
  let directory: string;
  let trash: string;
  let outside: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'headway-trash-'));
    trash = join(directory, 'trash');
    outside = join(directory, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'keep'), 'keep');
  });
  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it('unlinks a link, at the top or inside, and never enters it', async () => {
    const tree = join(directory, 'tree');
    await mkdir(join(tree, 'a'), { recursive: true });
    await symlink(outside, join(tree, 'a', 'link'));
    await symlink(outside, join(directory, 'top'));
    expect(await moveToTrash(tree, trash)).toBe(true);
    expect(await moveToTrash(join(directory, 'top'), trash)).toBe(true);
    await emptyTrash(trash);
    expect(await readdir(trash)).toEqual([]);
    await symlink(outside, join(directory, 'again'));
    await deleteTree(join(directory, 'again'));
    expect(existsSync(join(directory, 'again'))).toBe(false);
    expect(await readFile(join(outside, 'keep'), 'utf8')).toBe('keep');
  });

  it.runIf(canSetImmutable())('deletes nothing where a link can not be unlinked', async () => {
    const tree = join(directory, 'tree');
    await mkdir(join(tree, 'a', 'stuck'), { recursive: true });
    await writeFile(join(tree, 'a', 'work'), 'w');
    await symlink(outside, join(tree, 'a', 'stuck', 'link'));
    await agent(tree, 'chattr +i a/stuck');
    try {
      await expect(deleteTree(tree)).rejects.toThrow();
      expect(await readFile(join(tree, 'a', 'work'), 'utf8')).toBe('w');
    } finally {
      await agent(tree, 'chattr -i a/stuck');
    }
    await deleteTree(tree);
    expect(existsSync(tree)).toBe(false);
    expect(await readFile(join(outside, 'keep'), 'utf8')).toBe('keep');
  });

  it.runIf(process.platform !== 'win32')('empties what lies deeper than any path can say', async () => {
    await mkdir(trash);
    const dig = `const { chmodSync, mkdirSync, symlinkSync, writeFileSync } = require('node:fs');
      for (let depth = 0; depth < 60; depth += 1) {
        mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
        writeFileSync('f', 'x');
        symlinkSync(process.argv[1], 'link');
      }
      chmodSync('.', 0o500);`;
    execFileSync(process.execPath, ['-e', dig, outside], { cwd: trash });
    expect(await emptyTrash(trash)).toEqual([]);
    expect(await readdir(trash)).toEqual([]);
    expect(await readFile(join(outside, 'keep'), 'utf8')).toBe('keep');
  });

  it.runIf(canSetImmutable())(
    'is emptied of all but what is immutable, which is named and counted',
    async () => {
      await mkdir(join(trash, 'a', 'b'), { recursive: true });
      for (const path of ['a/work', 'a/b/stuck', 'a/c', 'z']) await writeFile(join(trash, path), 'work');
      await agent(trash, 'chattr +i a/b/stuck');
      try {
        const left = await emptyTrash(trash);
        expect(left).toEqual([
          {
            path: join(trash, 'a'),
            why: expect.stringContaining(`${join(trash, 'a/b/stuck')} can't be deleted`),
          },
        ]);
        expect(await readdir(trash)).toEqual(['a']);
        expect(await readdir(join(trash, 'a'))).toEqual(['b']);
        await noteLeft(trash, left);
        const [told] = await leftInTrash(join(directory, '..'));
        expect(told).toMatchObject({ path: join(trash, 'a') });
        expect(told?.bytes).toBeGreaterThan(0);
      } finally {
        await agent(trash, 'chattr -i a/b/stuck');
      }
      await noteLeft(trash, await emptyTrash(trash));
      expect(await leftInTrash(join(directory, '..'))).toEqual([]);
      expect(await readdir(directory)).toEqual(['outside', 'trash']);
    },
  );

  it.runIf(canMount())('never enters what is mounted in a tree', async () => {
    const tree = join(directory, 'tree');
    await mkdir(join(tree, 'a b', 'mounted'), { recursive: true });
    await writeFile(join(tree, 'work'), 'w');
    await agent(directory, "mount --bind outside 'tree/a b/mounted'");
    try {
      expect(await moveToTrash(tree, trash)).toBe(true);
      await emptyTrash(trash);
      const [name = ''] = await readdir(trash);
      await expect(deleteTree(join(trash, name))).rejects.toThrow(/a b\/mounted is mounted there/);
      expect(existsSync(join(trash, name, 'work'))).toBe(true);
    } finally {
      await agent(directory, "umount trash/*/'a b'/mounted");
    }
    await emptyTrash(trash);
    expect(await readdir(trash)).toEqual([]);
    expect(await readFile(join(outside, 'keep'), 'utf8')).toBe('keep');
  });

  it('knows mount points by the list of the kernel', () => {
    const list = [
      '36 35 98:0 / / rw - ext4 /dev/sda rw',
      '37 36 98:0 /x /srv/slots/s1/my\\040drive rw - fuse.sshfs host: rw',
      '38 36 98:0 /x /srv/slots/s10 rw - ext4 /dev/sdb rw',
      '',
    ].join('\n');
    expect(mountsBelow(list, '/srv/slots/s1')).toEqual(['/srv/slots/s1/my drive']);
    expect(mountsBelow(list, '/home')).toEqual([]);
  });

  it('says that there was nothing to move', async () => {
    expect(await moveToTrash(join(directory, 'none'), trash)).toBe(false);
    await deleteTree(join(directory, 'none'));
    await emptyTrash(join(directory, 'no-trash'));
  });

  it.runIf(process.platform === 'linux')('deletes names that are no UTF-8', async () => {
    const odd = Buffer.concat([Buffer.from(`${directory}/odd/`), Buffer.from([0x62, 0xff])]);
    await mkdir(join(directory, 'odd'));
    await mkdir(odd);
    await writeFile(Buffer.concat([odd, Buffer.from('/x')]), '');
    await deleteTree(join(directory, 'odd'));
    expect(existsSync(join(directory, 'odd'))).toBe(false);
  });
});
