import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type Desktop, openDesktop } from './support/electron-stand-in/launch.ts';
import { askEngine, typeIntoSession } from './support/window-port.ts';

/** Starts the desktop host and waits for its window to show the interface. */
async function openWindow(desktop: Desktop): Promise<{ page: Page; exited: Promise<unknown[]> }> {
  const opened = desktop.context.waitForEvent('page');
  const exited = once(desktop.start(), 'exit');
  const died = exited.then(([code]) => {
    throw new Error(`the desktop host left with exit code ${code}`);
  });
  const page = await Promise.race([opened, died]);
  await page.waitForURL('**/headway.app.localhost/**');
  return { page, exited };
}

test('the desktop window shows the interface and talks to its engine, fenced off from all else', async () => {
  await using desktop = await openDesktop({ HEADWAY_STAND_IN_FOLDER: '/picked/folder' });
  const { page, exited } = await openWindow(desktop);

  await expect(page).toHaveTitle(/Headway/);
  await expect(page.locator('#root')).not.toBeEmpty();
  expect(await page.evaluate(() => Object.keys((window as unknown as { headway: object }).headway))).toEqual([
    'platform',
    'connect',
  ]);
  expect(await page.evaluate(() => 'require' in window || 'process' in window)).toBe(false);
  const preferences = desktop.calls().find(({ call }) => call === 'BrowserWindow')?.webPreferences;
  expect(preferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false });

  expect(await askEngine(page, 'app.snapshot', {})).toMatchObject({ platform: process.platform, jobs: [] });
  expect(await askEngine(page, 'host.pickFolder', {})).toEqual({ available: true, path: '/picked/folder' });
  expect(await askEngine(page, 'job.get', {})).toMatchObject({ code: 'bad-input' });

  await page.evaluate(() => {
    for (const address of ['https://example.org/a', 'file:///etc/passwd', 'javascript:void 0']) {
      window.open(address, '_blank', 'noopener');
    }
    location.href = 'https://example.org/b';
  });
  const outside = () =>
    desktop
      .calls()
      .filter(({ call }) => call === 'shell.openExternal')
      .map(({ url }) => url);
  await expect.poll(outside).toEqual(['https://example.org/a', 'https://example.org/b']);
  expect(page.url()).toContain('headway.app.localhost');
  const fetched = await page.evaluate(() => fetch('https://example.org/').then(String, () => 'refused'));
  expect(fetched).toBe('refused');
  const evaluated = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.head.append(script);
    return 'injected' in window;
  });
  expect(evaluated).toBe(false);
  const permissions = await page.evaluate(async () => {
    const state = async (name: string) =>
      (await navigator.permissions.query({ name: name as PermissionName })).state;
    return [await state('geolocation'), await state('notifications'), await state('clipboard-write')];
  });
  expect(permissions).toEqual(['denied', 'denied', 'granted']);

  await page.close();
  expect(await exited).toEqual([0, null]);
  const state = JSON.parse(readFileSync(join(desktop.home, 'window.json'), 'utf8'));
  expect(state.bounds).toMatchObject({ width: 1440, height: 900 });
});

test("a session's bytes stream into the window as they are typed", async () => {
  await using desktop = await openDesktop();
  const { page, exited } = await openWindow(desktop);
  const { repository } = (await askEngine(page, 'sample.create', {})) as { repository: { id: string } };
  const params = { repoId: repository.id, kind: 'shell', cols: 80, rows: 24 };
  const session = (await askEngine(page, 'session.open', params)) as { id: string };

  const output = await typeIntoSession(page, session.id, 'echo sum=$((40 + 2))\r', 'sum=42');
  expect(output).toContain('sum=42');

  await page.close();
  expect(await exited).toEqual([0, null]);
});

test('a second start brings the first window to the front and leaves', async () => {
  await using desktop = await openDesktop();
  const { page, exited } = await openWindow(desktop);
  await expect(page.locator('#root')).not.toBeEmpty();

  const [code] = await once(desktop.start(), 'exit');
  expect(code).toBe(0);
  await expect.poll(() => desktop.calls().some(({ call }) => call === 'window.focus')).toBe(true);
  expect(desktop.calls().filter(({ call }) => call === 'BrowserWindow')).toHaveLength(1);

  await page.close();
  expect(await exited).toEqual([0, null]);
});

test('a reloaded window connects again', async () => {
  await using desktop = await openDesktop();
  const { page, exited } = await openWindow(desktop);
  await expect(page.locator('#root')).not.toBeEmpty();
  await page.reload();
  await expect(page.locator('#root')).not.toBeEmpty();
  expect(await askEngine(page, 'app.snapshot', {})).toMatchObject({ platform: process.platform });
  await page.close();
  expect(await exited).toEqual([0, null]);
});
