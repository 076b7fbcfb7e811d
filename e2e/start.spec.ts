import { expect, test } from '@playwright/test';
import { whyNoWindow } from '../scripts/find-electron.mjs';
import { makeSmallCheckout } from './support/small-checkout.ts';

const COMMAND = 'bin/headway.mjs';
const BUILT = /^building Headway … done in [\d.]+ s\n$/;

test('a command builds what is not built, says so in one line, and then says nothing', async () => {
  await using checkout = await makeSmallCheckout();
  const first = await checkout.run(COMMAND, ['jobs', '--json']);
  expect(first).toEqual({ code: 0, stdout: 'first jobs --json\n', stderr: expect.stringMatching(BUILT) });
  expect(await checkout.run(COMMAND)).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
});

test('only a change of what is built makes it build again', async () => {
  await using checkout = await makeSmallCheckout();
  await checkout.run(COMMAND);
  await checkout.write('src/shared/word.ts', "export const word = 'first';\n");
  await checkout.write('src/shared/word.test.ts', 'a test is not part of it');
  expect(await checkout.run(COMMAND)).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
  await checkout.write('src/shared/word.ts', "export const word = 'second';\n");
  const changed = await checkout.run(COMMAND);
  expect(changed).toEqual({ code: 0, stdout: 'second\n', stderr: expect.stringMatching(BUILT) });
});

test('two commands at once build once, and both run', async () => {
  await using checkout = await makeSmallCheckout();
  // What a build that was killed has left behind.
  await checkout.write('node_modules/.cache/headway-build.lock', '4194303');
  const runs = await Promise.all([checkout.run(COMMAND, ['one']), checkout.run(COMMAND, ['two'])]);
  expect(runs.map(({ stdout }) => stdout)).toEqual(['first one\n', 'first two\n']);
  expect(runs.map(({ stderr }) => stderr).join('')).toMatch(BUILT);
});

test('a build that fails shows why, runs nothing old, and the next one starts anew', async () => {
  await using checkout = await makeSmallCheckout();
  await checkout.run(COMMAND);
  await checkout.write('src/shared/word.ts', "export const other = 'third';\n");
  const failed = await checkout.run(COMMAND);
  expect(failed).toMatchObject({ code: 2, stdout: '' });
  expect(failed.stderr).toMatch(/building Headway … failed[\s\S]*word[\s\S]*npm ci/);
  await checkout.write('src/shared/word.ts', "export const word = 'third';\n");
  expect(await checkout.run(COMMAND)).toMatchObject({ code: 0, stdout: 'third\n' });
});

test('a program that is running finds its own code after another build', async () => {
  await using checkout = await makeSmallCheckout();
  const main = `import { once } from 'node:events';
console.log('started');
await once(process.stdin, 'data');
console.log((await import('../../../shared/word.ts')).word);
process.stdin.destroy();
`;
  await checkout.write('src/main/hosts/cli/main.ts', main);
  const running = checkout.start(COMMAND);
  await running.printed('started');
  await checkout.write('src/shared/word.ts', "export const word = 'later';\n");
  expect(await checkout.run('scripts/ensure-build.mjs')).toMatchObject({ code: 0 });
  running.type('go');
  await running.printed('first');
  expect(await running.exit).toBe(0);
});

test('without a window, start says why in one line and serves the browser', async () => {
  await using checkout = await makeSmallCheckout();
  await checkout.run(COMMAND);
  const run = await checkout.run('scripts/start.mjs', ['--port', '0'], { HEADWAY_NO_ELECTRON: '1' });
  expect(run).toEqual({
    code: 0,
    stdout: 'first serve --open --port 0\n',
    stderr: 'No desktop window: HEADWAY_NO_ELECTRON is set. Headway opens in the browser instead.\n',
  });
});

test('a window needs a display, and on Linux a user who is not root', () => {
  const machine = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform, uid: number | undefined) =>
    whyNoWindow({ env, platform, uid });
  expect(machine({}, 'linux', 1000)).toContain('display');
  expect(machine({ DISPLAY: ':0' }, 'linux', 0)).toContain('root');
  expect(machine({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', 1000)).toBeUndefined();
  expect(machine({}, 'darwin', 0)).toBeUndefined();
  expect(machine({}, 'win32', undefined)).toBeUndefined();
  expect(machine({ HEADWAY_NO_ELECTRON: '1' }, 'win32', undefined)).toContain('HEADWAY_NO_ELECTRON');
});
