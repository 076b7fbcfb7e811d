import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Snapshot } from '../../../shared/contract.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

it('a terminal with a claude that is not there, and an editor, are refused with the way out, and no slot is taken', async () => {
  // Only git: neither claude nor an editor is on this PATH.
  const bin = join(place.root, 'bin');
  mkdirSync(bin);
  const git = (process.env.PATH ?? '').split(delimiter).find((dir) => existsSync(join(dir, 'git')));
  symlinkSync(join(git ?? '/usr/bin', 'git'), join(bin, 'git'));
  place.env.PATH = bin;
  place.env.HOME = place.root;
  const repo = place.repository('repo', { 'a.txt': 'a\n' });
  const { ask, stop } = await place.serve();
  const { id: repoId } = (await (await ask('repository.add', { path: repo })).json()) as { id: string };
  const claude = await ask('session.open', { repoId, kind: 'claude', cols: 80, rows: 24 });
  expect(claude.status).toBe(503);
  expect(await claude.json()).toMatchObject({
    error: { code: 'unavailable', message: expect.stringMatching(/no claude here: install Claude Code/) },
  });
  await ask('settings.set', { editor: 'no-such-editor {path}' });
  expect(await (await ask('host.openEditor', { path: repo })).json()).toMatchObject({
    error: {
      code: 'unavailable',
      message: expect.stringMatching(/not on the PATH; name another in Settings/),
    },
  });
  const { slots, sessions } = (await (await ask('app.snapshot')).json()) as Snapshot;
  expect([slots, sessions]).toEqual([[], []]);
  await stop();
});
