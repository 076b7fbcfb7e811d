import { EventEmitter } from 'node:events';
import { record } from './record.ts';

export const shell = {
  async openExternal(url: string): Promise<void> {
    record('shell.openExternal', { url });
  },
};

export const dialog = {
  /** The person picks the folder that HEADWAY_STAND_IN_FOLDER names, or cancels. */
  async showOpenDialog(...args: unknown[]): Promise<{ canceled: boolean; filePaths: string[] }> {
    record('dialog.showOpenDialog', { options: args.at(-1) });
    const folder = process.env.HEADWAY_STAND_IN_FOLDER;
    return folder ? { canceled: false, filePaths: [folder] } : { canceled: true, filePaths: [] };
  },
  showErrorBox(title: string, content: string): void {
    record('dialog.showErrorBox', { title, content });
    console.error(`${title}: ${content}`);
  },
};

class NativeTheme extends EventEmitter {
  themeSource = 'system';
  shouldUseDarkColors = false;
}
export const nativeTheme = new NativeTheme();

export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1600, height: 1000 } }],
};

export const Menu = {
  buildFromTemplate: (template: unknown[]) => ({ template }),
  setApplicationMenu(menu: { template: unknown[] }): void {
    record('Menu.setApplicationMenu', menu);
  },
};
