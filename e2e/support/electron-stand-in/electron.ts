/** The `electron` module as far as Headway uses it, on plain Node and a Chromium elsewhere. */
export { app } from './app.ts';
export { BrowserWindow } from './browser-window.ts';
export { ipcMain } from './ipc-main.ts';
export { MessageChannelMain } from './message-port-main.ts';
export { protocol, session } from './session.ts';
export { dialog, Menu, nativeTheme, screen, shell } from './system.ts';
