import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../shared/domain.ts';
import type { ClaimedSlot } from '../pool/claimed-slot.ts';
import { agent, openWorkshop, type Workshop, writeFiles } from '../testing/workshop.ts';

describe.runIf(process.platform !== 'win32')('caches of gate steps', () => {
  const PATH = 'node_modules/.cache/types';
  let shop: Workshop;
  let repository: Repository;
  let slot: ClaimedSlot;
  const claim = async (): Promise<void> => {
    slot = await shop.claim(repository);
    await slot.checkout(await shop.commit(repository, {}), 'headway/x');
  };
  /** A step that finds what is there and leaves something else. */
  const step = async (leaves: string, worth = true): Promise<string | undefined> => {
    await slot.stepCaches.bring('key', [PATH]);
    const file = join(slot.path, PATH, 'info');
    const found = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    await writeFiles(slot.path, { [`${PATH}/info`]: leaves });
    await slot.stepCaches.take('key', [PATH], worth);
    expect(existsSync(join(slot.path, PATH))).toBe(false);
    return found;
  };

  beforeEach(async () => {
    shop = await openWorkshop();
    repository = await shop.repository({ 'src/a.ts': 'a\n', '.gitignore': 'node_modules/\n' });
    await claim();
  });
  afterEach(async () => {
    await slot[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  });

  it('are kept from one job to the next once the work has landed', async () => {
    expect(await step('first')).toBeUndefined();
    await slot.stepCaches.keep();
    await slot[Symbol.asyncDispose]();
    await claim();
    expect(await step('second')).toBe('first');
  });

  it('keep nothing of a job that does not land, or of a run that is not green', async () => {
    await step('landed');
    await slot.stepCaches.keep();
    expect(await step('not green', false)).toBe('landed');
    await slot.stepCaches.keep();
    expect(await step('never lands')).toBe('landed');
    await slot[Symbol.asyncDispose]();
    await claim();
    await slot.stepCaches.keep();
    expect(await step('next')).toBe('landed');
  });

  it('take nothing from what an agent left in their place, and keep the times of what was kept', async () => {
    await writeFiles(slot.path, { [`${PATH}/info`]: 'all is well', [`${PATH}/more`]: 'x' });
    expect(await step('first')).toBeUndefined();
    await slot.stepCaches.keep();
    await agent(slot.path, `mkdir -p ${PATH}; echo poison > ${PATH}/info`);
    await slot.stepCaches.bring('key', [PATH]);
    expect(readFileSync(join(slot.path, PATH, 'info'), 'utf8')).toBe('first');
    const { mtimeMs } = statSync(join(slot.path, PATH, 'info'));
    await slot.stepCaches.take('key', [PATH], true);
    await slot.stepCaches.bring('key', [PATH]);
    expect(statSync(join(slot.path, PATH, 'info')).mtimeMs).toBe(mtimeMs);
  });

  it('are apart for each key', async () => {
    await step('first');
    await slot.stepCaches.keep();
    await slot.stepCaches.bring('another', [PATH]);
    expect(existsSync(join(slot.path, PATH))).toBe(false);
  });

  it('never lead out of the slot', async () => {
    const outside = join(shop.directory, 'outside');
    await mkdir(join(outside, 'types'), { recursive: true });
    await mkdir(join(slot.path, 'node_modules'));
    await symlink(outside, join(slot.path, 'node_modules/.cache'));
    await expect(slot.stepCaches.bring('key', [PATH])).rejects.toThrow('lies behind a link');
    await agent(slot.path, 'rm node_modules/.cache');
    await agent(slot.path, `mkdir -p ${PATH}; ln -s ${outside} ${PATH}/link; echo x > ${PATH}/info`);
    await slot.stepCaches.take('key', [PATH], true);
    await slot.stepCaches.keep();
    await slot.stepCaches.bring('key', [PATH]);
    expect(existsSync(join(slot.path, PATH, 'info'))).toBe(true);
    expect(existsSync(join(slot.path, PATH, 'link'))).toBe(false);
    expect(existsSync(join(outside, 'types'))).toBe(true);
  });

  it('are none where git tracks a file', async () => {
    await expect(slot.stepCaches.bring('key', ['src'])).rejects.toThrow('git tracks src/a.ts');
    expect(existsSync(join(slot.path, 'src/a.ts'))).toBe(true);
  });

  it('go with a slot that is made anew', async () => {
    await step('first');
    await slot.stepCaches.keep();
    await slot[Symbol.asyncDispose]();
    await shop.pool.rebuild((await shop.slots())[0]?.id ?? '');
    await claim();
    expect(await step('second')).toBeUndefined();
  });
});
