import { join } from 'node:path';
import { isModernNode, root, runInstead } from '../bin/modern-node.mjs';
import { ensureBuild } from './ensure-build.mjs';
import { obtainElectron } from './find-electron.mjs';

/** How a loader says that a library of the system is missing. */
const NOT_STARTED = 127;

if (await isModernNode()) await start(process.argv.slice(2));

/** Opens the window, or the same interface in a browser where there can be no window. */
async function start(args) {
  try {
    await ensureBuild();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
    return;
  }
  const electron = await obtainElectron();
  if ('reason' in electron) {
    await openInBrowser(electron.reason, args);
    return;
  }
  const { ELECTRON_RUN_AS_NODE: _asNode, ...env } = process.env;
  await runInstead(electron.path, [root, ...args], {
    env,
    onExit(code) {
      if (code !== NOT_STARTED) return false;
      void openInBrowser('its program does not start on this system', args);
      return true;
    },
  });
}

async function openInBrowser(reason, args) {
  console.error(`No desktop window: ${reason}. Headway opens in the browser instead.`);
  await runInstead(process.execPath, [join(root, 'bin', 'headway.mjs'), 'serve', '--open', ...args]);
}
