import { resolveKey } from '../keys/key-map.ts';
import { isMac } from '../keys/platform.ts';

/**
 * Whether a key pressed in a terminal is the window's. xterm then leaves it alone and the window's handler, or the browser,
 * acts. A terminal that takes no input keeps only what scrolls it.
 */
export function terminalKeyGoesToApp(event: KeyboardEvent, readOnly: boolean): boolean {
  if (readOnly && event.key === 'Tab') return true;
  return resolveKey(event, { mac: isMac(), focus: readOnly ? 'other' : 'terminal' }) !== undefined;
}
