import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent } from '../testing/workshop.ts';
import { type ChangedSince, changedSince, walkChanged } from './changed-since.ts';

const WAYS: [string, ChangedSince][] = [
  ['as it is asked', changedSince],
  ['without another program', walkChanged],
];

describe.each(WAYS)('what changed since, %s', (_, changed) => {
  let base: string;
  let stamp: string;
  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'headway-changed-'));
    await agent(
      base,
      'mkdir -p slot/m/a/b slot/m/c elsewhere; for f in m/a/1 m/a/b/2 m/c/3 other; do echo x > slot/$f; done; ln -s ../elsewhere slot/m/out',
    );
    // The clock of a file system ticks a few milliseconds at a time.
    await delay(20);
    stamp = join(base, 'stamp');
    writeFileSync(stamp, '');
    await delay(20);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const ask = async (most = 100): Promise<string[] | undefined> =>
    (await changed(join(base, 'slot'), ['m'], stamp, most))?.toSorted();

  it('is nothing where nothing did', async () => {
    await agent(base, 'cat slot/m/a/1 > /dev/null; echo y > slot/other; echo z > elsewhere/new');
    expect(await ask()).toEqual([]);
    expect(await changed(join(base, 'slot'), [], stamp, 1)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('is seen through a forged time', async () => {
    await agent(base, 'echo evil > slot/m/a/b/2');
    utimesSync(join(base, 'slot/m/a/b/2'), 0, 0);
    expect(await ask()).toEqual(['m/a/b/2']);
  });

  it('is named with the directory that it changed: added, removed, moved, relinked', async () => {
    await agent(base, 'echo n > slot/m/a/new; rm slot/m/c/3; mv slot/m/a/b slot/m/c/b; ln -sfn / slot/m/out');
    expect(await ask()).toEqual(['m', 'm/a', 'm/a/new', 'm/c', 'm/c/b', 'm/out']);
  });

  it('can not be told where it is too much, or a root is gone', async () => {
    await agent(base, 'touch slot/m/1 slot/m/2 slot/m/3');
    expect(await ask(3)).toBeUndefined();
    expect(await changed(join(base, 'slot'), ['m', 'gone'], stamp, 100)).toBeUndefined();
  });
});
