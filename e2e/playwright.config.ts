import { defineConfig } from '@playwright/test';
import { findBrowser } from '../scripts/ensure-browser.mjs';
import { GIT_IDENTITY } from '../src/main/testing/git-identity.ts';
import { BROWSER_ARGS } from './support/browser.ts';

// Each worker inherits it.
Object.assign(process.env, GIT_IDENTITY);

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // Each test starts an engine, agents and a browser of its own: one at a time, so that each has the machine.
  workers: 1,
  retries: 0,
  timeout: 120_000,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: findBrowser(), args: BROWSER_ARGS },
  },
});
