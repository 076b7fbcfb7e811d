import type { Session } from '../../shared/domain.ts';
import { preferencesStore } from '../state/preferences.ts';
import { SessionTerminal } from './session-terminal.ts';
import { onThemeChange } from './terminal-theme.ts';

/** Terminals off the screen that are kept for a quick return; older ones come back by replay. */
const MAX_HIDDEN = 8;

const terminals = new Map<string, SessionTerminal>();

export function terminalFor(session: Session): SessionTerminal {
  const known = terminals.get(session.id);
  if (known) return known;
  const terminal = new SessionTerminal(session);
  terminals.set(session.id, terminal);
  return terminal;
}

export const findTerminal = (sessionId: string): SessionTerminal | undefined => terminals.get(sessionId);

/** Takes a terminal off the screen and lets go of those that were hidden longest. */
export function hideTerminal(sessionId: string): void {
  terminals.get(sessionId)?.detach();
  const hidden = [...terminals.values()].filter((terminal) => !terminal.attached);
  hidden.sort((a, b) => b.hiddenAt - a.hiddenAt);
  for (const terminal of hidden.slice(MAX_HIDDEN)) {
    terminals.delete(terminal.sessionId);
    terminal.dispose();
  }
}

export function reopenTerminals(): void {
  for (const terminal of terminals.values()) terminal.reopen();
}

/** Keeps all terminals in the system's colours and the person's font size. */
export function startTerminalStyles(): void {
  const restyle = (): void => {
    for (const terminal of terminals.values()) terminal.restyle();
  };
  onThemeChange(restyle);
  preferencesStore.subscribe(restyle);
}
