/** Electron's program, if it has been fetched. */
export function findElectronBinary(): string | undefined;
/** Why a window can't be opened here; undefined: it can. */
export function whyNoWindow(machine: {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  uid: number | undefined;
}): string | undefined;
