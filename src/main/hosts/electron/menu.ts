import type { MenuItemConstructorOptions } from 'electron';

/**
 * Pure: standard roles only. Beside macOS there is no 'close' and no 'reload': their keys, Ctrl+W and Ctrl+R, belong
 * to the shells in the panes.
 */
export function menuTemplate(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      { role: 'toggleDevTools' },
    ],
  };
  if (platform === 'darwin') {
    return [{ role: 'appMenu' }, { role: 'editMenu' }, view, { role: 'windowMenu' }];
  }
  return [{ label: 'File', submenu: [{ role: 'quit' }] }, { role: 'editMenu' }, view];
}
