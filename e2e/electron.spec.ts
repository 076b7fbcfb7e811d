import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect, test } from '@playwright/test';
import { findElectronBinary, whyNoWindow } from '../scripts/find-electron.mjs';
import { askEngine } from './support/window-port.ts';

const root = join(import.meta.dirname, '..');
const binary = findElectronBinary();
const reason =
  whyNoWindow({ env: process.env, platform: process.platform, uid: process.getuid?.() }) ??
  (binary ? undefined : "Electron's program has not been fetched (npx install-electron)");

// biome-ignore lint/suspicious/noSkippedTests: it needs Electron's own program and a display; the report says which is missing
test.skip(reason !== undefined, reason);

// Reporters show a skipped test's title, not its reason.
const note = reason ? ` (skipped: ${reason})` : '';

test(`the real desktop window shows the interface and talks to its engine${note}`, async () => {
  const home = await mkdtemp(join(tmpdir(), 'headway-electron-'));
  const app = await _electron.launch({
    executablePath: binary,
    args: [root],
    env: { ...(process.env as Record<string, string>), HEADWAY_HOME: home },
  });
  try {
    const page = await app.firstWindow();
    await expect(page).toHaveTitle(/Headway/);
    expect(page.url()).toBe('app://headway/');
    await expect(page.locator('#root')).not.toBeEmpty();
    expect(await page.evaluate(() => 'require' in window || 'process' in window)).toBe(false);
    expect(await askEngine(page, 'app.snapshot', {})).toMatchObject({ platform: process.platform, jobs: [] });
  } finally {
    await app.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
});
