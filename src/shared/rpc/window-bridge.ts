/** What main, preload and page of a desktop window agree on. */

/** The page's window asks main for a connection on this channel; main sends a port back on the same one. */
export const CONNECT_CHANNEL = 'headway:connect';

/** `type` of the window message that hands the port to the page; a port can't cross the bridge itself. */
export const PORT_MESSAGE = 'headway-port';

/** `window.headway` in a desktop window. */
export interface WindowBridge {
  /** Node's name of the platform: `darwin`, `win32`, `linux`. */
  platform: string;
  /** Resolves once the port has been posted to this window as `{ type: 'headway-port' }`. */
  connect(): Promise<void>;
}
