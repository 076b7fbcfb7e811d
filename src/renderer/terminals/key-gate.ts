import { resolveKey } from '../keys/key-map.ts';
import { isMac } from '../keys/platform.ts';

/** Whether a key pressed in a terminal is the window's. xterm then leaves it alone and the window's handler acts. */
export function terminalKeyGoesToApp(event: KeyboardEvent): boolean {
  return resolveKey(event, { mac: isMac(), focus: 'terminal' }) !== undefined;
}
