import { join } from 'node:path';
import { app, BrowserWindow, dialog, Menu, nativeTheme, session } from 'electron';
import { toError } from '../../../shared/errors.ts';
import type { Api } from '../../../shared/rpc/server.ts';
import { denyPermissions, registerAppScheme, serveApp } from './app-protocol.ts';
import { confinePages, type MainWindow, openMainWindow } from './main-window.ts';
import { menuTemplate } from './menu.ts';
import { acceptWindows } from './window-connections.ts';
import { within } from './within.ts';

/** Long enough to end agents and give back leases; what is not done by then, the next start takes over. */
const STOP_BOUND_MS = 15_000;

export interface HostedEngine {
  api: Api;
  stop(): Promise<void>;
}

export interface ElectronOptions {
  openEngine(ports: { pickFolder(): Promise<string | undefined> }): Promise<HostedEngine>;
  /** Directory of all state; two Headways on different ones know nothing of each other. */
  home: string;
  rendererDir: string;
  preloadPath: string;
  iconPath: string;
}

/** Runs the desktop host: one window on one engine, until the person quits. */
export async function runElectron(options: ElectronOptions): Promise<void> {
  const chromiumDir = join(options.home, 'chromium');
  app.setPath('userData', chromiumDir);
  app.setPath('sessionData', chromiumDir);
  registerAppScheme();
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  confinePages();

  let main: MainWindow | undefined;
  const showWindow = (): void => {
    if (!main || main.window.isDestroyed()) {
      main = openMainWindow({ ...options, statePath: join(options.home, 'window.json') });
      return;
    }
    if (main.window.isMinimized()) main.window.restore();
    main.window.show();
    main.window.focus();
  };

  const engine = app
    .whenReady()
    .then(() => options.openEngine({ pickFolder: () => pickFolder(main?.window) }));
  engine.catch((thrown: unknown) => {
    dialog.showErrorBox("Headway can't start", toError(thrown).message);
    app.exit(1);
  });
  acceptWindows(engine.then(({ api }) => api));
  stopBeforeQuit(engine, () => main?.saveState());

  await app.whenReady();
  nativeTheme.themeSource = 'system';
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform)));
  serveApp(session.defaultSession, options.rendererDir);
  denyPermissions(session.defaultSession);
  app.on('second-instance', showWindow);
  app.on('activate', showWindow);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  showWindow();
}

/** Holds the quit until the engine has stopped, within a bound, then leaves. */
function stopBeforeQuit(engine: Promise<HostedEngine>, saveState: () => void): void {
  let stopping = false;
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (stopping) return;
    stopping = true;
    saveState();
    for (const window of BrowserWindow.getAllWindows()) window.hide();
    void within(
      engine.then((opened) => opened.stop()),
      STOP_BOUND_MS,
    ).then((outcome) => {
      if (outcome === 'late') console.error('The engine did not stop in time; the next start takes over.');
      app.exit(outcome === 'done' ? 0 : 1);
    });
  });
}

/** Undefined: the person picked none. */
async function pickFolder(parent: BrowserWindow | undefined): Promise<string | undefined> {
  const options = { properties: ['openDirectory' as const, 'createDirectory' as const] };
  const picked =
    parent && !parent.isDestroyed()
      ? await dialog.showOpenDialog(parent, options)
      : await dialog.showOpenDialog(options);
  return picked.canceled ? undefined : picked.filePaths[0];
}
