import { join } from 'node:path';
import { dialog } from 'electron';
import { resolveHome } from '../../settings/home.ts';
import { crashText, endOnCrash } from '../crashes.ts';
import { runElectron } from './run-electron.ts';

// The built file is out/main/electron.js: what it needs lies beside it.
const out = join(import.meta.dirname, '..');

endOnCrash((text) => {
  console.error(text);
  dialog.showErrorBox('Headway has crashed', `${text}\n\nStart it again: its jobs go on.`);
});

// Not awaited at the top level: the app is not ready before this module has been evaluated, so that would never end.
runElectron({
  // Loaded late: a second instance only wakes the first and never needs the engine.
  async openEngine({ pickFolder }) {
    const { openEngine } = await import('../../engine/engine.ts');
    return openEngine({ pickFolder, onProblem: (error) => console.error(error.message) });
  },
  home: resolveHome().root,
  rendererDir: join(out, 'renderer'),
  preloadPath: join(out, 'preload', 'index.cjs'),
  iconPath: join(out, '..', 'resources', 'icon.png'),
}).catch((thrown: unknown) => {
  console.error(crashText(thrown));
  process.exit(1);
});
