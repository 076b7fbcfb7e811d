import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs a built Electron main file on plain Node: `node run.ts out/main/electron.js`. Its windows are pages of the
 * Chromium that HEADWAY_STAND_IN_BROWSER (a DevTools address) names; what it asks of the system is written to the
 * file that HEADWAY_STAND_IN_LOG names, one JSON object a line.
 */
const standIn = new URL('./electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
});

const { connectBrowser } = await import('./chromium.ts');
const { markReady } = await import('./app.ts');
await connectBrowser();
const main = resolve(process.argv[2] ?? 'out/main/electron.js');
await import(pathToFileURL(main).href);
// As in Electron: the app is not ready before its main module has been evaluated.
markReady();
