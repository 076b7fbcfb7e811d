import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { type Desktop, openDesktop } from './support/electron-stand-in/launch.ts';
import { askEngine, typeIntoSession } from './support/window-port.ts';

const test = base.extend<{ desktop: Desktop }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from the pattern
  desktop: async ({}, use) => {
    await using desktop = await openDesktop({ HEADWAY_STAND_IN_FOLDER: '/picked/folder' });
    await use(desktop);
  },
});

/** Starts the desktop host and waits for its window to show the interface. */
async function openWindow(
  desktop: Desktop,
): Promise<{ page: Page; host: ChildProcess; exited: Promise<unknown[]> }> {
  const opened = desktop.context.waitForEvent('page');
  const host = desktop.start();
  const exited = once(host, 'exit');
  const died = exited.then(([code]) => {
    throw new Error(`the desktop host left with exit code ${code}`);
  });
  const page = await Promise.race([opened, died]);
  await page.waitForURL('**/headway.app.localhost/**');
  return { page, host, exited };
}

test('the desktop window shows the interface and talks to its engine, fenced off from all else', async ({
  desktop,
}) => {
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function openShell(page: Page): Promise<string> {
  const { repository } = (await askEngine(page, 'sample.create', {})) as { repository: { id: string } };
  const params = { repoId: repository.id, kind: 'shell', cols: 80, rows: 24 };
  return ((await askEngine(page, 'session.open', params)) as { id: string }).id;
}

test("a session's bytes stream into the window as they are typed", async ({ desktop }) => {
  const { page, exited } = await openWindow(desktop);
  const output = await typeIntoSession(page, await openShell(page), 'echo sum=$((40 + 2))\r', 'sum=42');
  expect(output).toContain('sum=42');
  await page.close();
  expect(await exited).toEqual([0, null]);
});

test('a host that is told to end stops its engine in good order: no shell outlives it', async ({
  desktop,
}) => {
  const { page, host, exited } = await openWindow(desktop);
  const output = await typeIntoSession(page, await openShell(page), 'echo shell=$$=\r', /shell=\d+=/.source);
  const pid = Number(/shell=(\d+)=/.exec(output)?.[1]);
  expect(isAlive(pid)).toBe(true);
  host.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('a second start brings the first window to the front and leaves', async ({ desktop }) => {
  const { page, exited } = await openWindow(desktop);
  await expect(page.locator('#root')).not.toBeEmpty();

  const [code] = await once(desktop.start(), 'exit');
  expect(code).toBe(0);
  await expect.poll(() => desktop.calls().some(({ call }) => call === 'window.focus')).toBe(true);
  expect(desktop.calls().filter(({ call }) => call === 'BrowserWindow')).toHaveLength(1);

  await page.close();
  expect(await exited).toEqual([0, null]);
});

test('a reloaded window connects again', async ({ desktop }) => {
  const { page, exited } = await openWindow(desktop);
  await expect(page.locator('#root')).not.toBeEmpty();
  await page.reload();
  await expect(page.locator('#root')).not.toBeEmpty();
  expect(await askEngine(page, 'app.snapshot', {})).toMatchObject({ platform: process.platform });
  await page.close();
  expect(await exited).toEqual([0, null]);
});
