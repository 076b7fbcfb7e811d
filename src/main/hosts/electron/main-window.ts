import { app, BrowserWindow, nativeTheme, screen, shell, type WebContents } from 'electron';
import { APP_URL } from './app-protocol.ts';
import { toExternalUrl } from './links.ts';
import { MIN_HEIGHT, MIN_WIDTH, placeWindow, readWindowState, writeWindowState } from './window-state.ts';

/** A page that crashes over and over is not loaded again for ever. */
const MAX_RELOADS = 3;

export interface MainWindowOptions {
  preloadPath: string;
  iconPath: string;
  /** Where the window's place is kept between starts. */
  statePath: string;
}

export interface MainWindow {
  window: BrowserWindow;
  saveState(): void;
}

export function openMainWindow({ preloadPath, iconPath, statePath }: MainWindowOptions): MainWindow {
  const displays = screen.getAllDisplays().map((display) => display.workArea);
  const place = placeWindow(readWindowState(statePath), displays);
  const window = new BrowserWindow({
    ...place.bounds,
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    title: 'Headway',
    icon: iconPath,
    show: false,
    autoHideMenuBar: true,
    backgroundColor: backgroundColor(),
    webPreferences: {
      preload: preloadPath,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      // Panes go on drawing while the window is behind another: what they show must not pile up.
      backgroundThrottling: false,
    },
  });
  if (place.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());

  const saveState = (): void => {
    if (window.isDestroyed()) return;
    writeWindowState(statePath, { bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  };
  const followTheme = (): void => window.setBackgroundColor(backgroundColor());
  nativeTheme.on('updated', followTheme);
  window.on('close', saveState);
  window.once('closed', () => nativeTheme.off('updated', followTheme));
  let reloads = 0;
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || reloads >= MAX_RELOADS) return;
    reloads += 1;
    window.webContents.reload();
  });
  window.loadURL(APP_URL).catch((cause: unknown) => {
    if (!window.isDestroyed()) console.error(`The interface can't be loaded: ${String(cause)}`);
  });
  return { window, saveState };
}

/** The colour behind the page until it has drawn, so that a dark window does not flash white. */
function backgroundColor(): string {
  return nativeTheme.shouldUseDarkColors ? '#16181d' : '#ffffff';
}

/** Every page of this app stays where it is: links open in the user's browser, if they are web addresses. */
export function confinePages(): void {
  app.on('web-contents-created', (_event, contents) => confine(contents));
}

function confine(contents: WebContents): void {
  const openOutside = (link: string): void => {
    const url = toExternalUrl(link);
    // A system without a browser has nobody to tell; the link stays visible in the page.
    if (url) shell.openExternal(url).catch(() => {});
  };
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: 'deny' };
  });
  contents.on('will-navigate', (event) => {
    if (event.url === APP_URL) return;
    event.preventDefault();
    openOutside(event.url);
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}
