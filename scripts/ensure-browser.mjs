import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];

/** Pure: where installers put a browser of the Chromium family, best first. */
function usualPlaces(platform, env) {
  if (platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].flatMap((name) =>
      ['', env.HOME ?? ''].map((base) => `${base}/Applications/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (platform === 'win32') {
    const bases = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean);
    const tails = ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'];
    return tails.flatMap((tail) => bases.map((base) => join(base, tail)));
  }
  const onPath = NAMES.flatMap((name) =>
    (env.PATH ?? '')
      .split(delimiter)
      .filter(Boolean)
      .map((directory) => join(directory, name)),
  );
  return ['/usr/bin/chromium', ...onPath, '/usr/lib/chromium/chromium', '/opt/google/chrome/chrome'];
}

/** Browsers that Playwright has fetched, newest first. */
function playwrightPlaces(platform, env) {
  const caches = { darwin: 'Library/Caches/ms-playwright', win32: 'AppData/Local/ms-playwright' };
  const cache = env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), caches[platform] ?? '.cache/ms-playwright');
  const inside = {
    darwin: ['chrome-mac/Chromium.app/Contents/MacOS/Chromium'],
    win32: ['chrome-win64/chrome.exe', 'chrome-win/chrome.exe'],
  }[platform] ?? ['chrome-linux64/chrome', 'chrome-linux/chrome'];
  if (!existsSync(cache)) return [];
  const builds = readdirSync(cache).filter((name) => /^chromium-\d+$/.test(name));
  builds.sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)));
  return builds.flatMap((build) => inside.map((tail) => join(cache, build, tail)));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A browser of the Chromium family: `CHROMIUM_PATH`, the usual places, Playwright's cache.
 * @returns {string | undefined}
 */
export function findBrowser() {
  const { env, platform } = process;
  if (env.CHROMIUM_PATH) return isProgram(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  return [...usualPlaces(platform, env), ...playwrightPlaces(platform, env)].find(isProgram);
}

function installWithApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error('installing chromium with apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) => spawnSync('apt-get', ['-q', ...args], { env, encoding: 'utf8' });
  const install = () => run('install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
  run('update');
  const result = install();
  if (result.status !== 0) console.error(result.stderr);
}

/**
 * Finds a browser or brings one; throws an error that says what to do where neither is possible.
 * @returns {string}
 */
export function ensureBrowser() {
  if (!findBrowser() && !process.env.CHROMIUM_PATH) installWithApt();
  const browser = findBrowser();
  if (browser) return browser;
  throw new Error(
    process.env.CHROMIUM_PATH
      ? `CHROMIUM_PATH is ${process.env.CHROMIUM_PATH}, which is no program.`
      : 'The tests need Chromium or Chrome: install one, or name it with CHROMIUM_PATH.',
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    ensureBrowser();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
