import './zod-setup.ts';
import '@xterm/xterm/css/xterm.css';
import './tokens.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connectToEngine } from './connect.ts';
import { keepLayout } from './panes/use-placement.ts';
import { readTicketDraft, sayTicketDraft } from './start/ticket-draft.ts';
import { setEngine } from './state/engine.ts';
import { startFeed } from './state/feed.ts';
import { loadPreferences } from './state/preferences.ts';
import { engineStore } from './state/store.ts';
import { showToast } from './state/ui-store.ts';
import { reopenTerminals, startTerminalStyles } from './terminals/registry.ts';
import { stopClock } from './ui/ticker.ts';

loadPreferences();
keepLayout();
startTerminalStyles();
engineStore.subscribe(({ lostAt }) => stopClock(lostAt));
const client = connectToEngine();
setEngine(client);
startFeed(client, {
  notice: (notice) => showToast(notice.level, notice.text),
  reconnected: reopenTerminals,
  // Frames stop in a hidden window; a timer goes on there, so the queue of events stays short.
  schedule: (flush) => {
    if (document.hidden) setTimeout(flush, 250);
    else requestAnimationFrame(flush);
  },
});

if (readTicketDraft()) sayTicketDraft();

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
