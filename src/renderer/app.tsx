import { lazy, Suspense, useEffect, useState } from 'react';
import { newTickets, presentRepoId, readTicketFiles } from './actions/start-actions.ts';
import styles from './app.module.css';
import { Dialogs } from './dialogs.tsx';
import { useKeys } from './keys/use-keys.ts';
import { Rail } from './rail.tsx';
import { RunView } from './run-view.tsx';
import { StartPage } from './start/start-page.tsx';
import type { Model } from './state/model.ts';
import { useEngine, useModel } from './state/store.ts';
import { uiStore, useUi } from './state/ui-store.ts';
import { LostBar } from './strip/lost-bar.tsx';
import { Strip } from './strip/strip.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { Toasts } from './ui/toasts.tsx';

// Each a file of its own: the first look is at 'Run'.
const FILES = {
  slots: async () => ({ default: (await import('./views/slots-view.tsx')).SlotsView }),
  gate: async () => ({ default: (await import('./views/gate-view.tsx')).GateView }),
  ceiling: async () => ({ default: (await import('./views/ceiling-view.tsx')).CeilingView }),
  report: async () => ({ default: (await import('./views/report-view.tsx')).ReportView }),
  settings: async () => ({ default: (await import('./views/settings-view.tsx')).SettingsView }),
};
const SlotsView = lazy(FILES.slots);
const GateView = lazy(FILES.gate);
const CeilingView = lazy(FILES.ceiling);
const ReportView = lazy(FILES.report);
const SettingsView = lazy(FILES.settings);

export function App() {
  const loaded = useEngine((state) => state.model !== undefined);
  const view = useUi((state) => state.view);
  useKeys();
  useFileDrop();
  useTitle();
  useFilesAhead(loaded);
  const behindDialog = useUi((state) => state.dialog !== undefined);
  return (
    <div className={styles.window}>
      {loaded ? (
        <>
          <Strip />
          <LostBar />
          <div className={styles.middle}>
            <Rail />
            <div className={styles.view}>
              <ErrorBoundary key={view}>
                <Suspense>
                  <PresentView />
                </Suspense>
              </ErrorBoundary>
            </div>
          </div>
        </>
      ) : (
        <Waiting />
      )}
      <Dialogs />
      {!behindDialog && <Toasts />}
    </div>
  );
}

function PresentView() {
  const view = useUi((state) => state.view);
  const empty = useModel((model) => model.repositories.size === 0 && model.jobs.size === 0, false);
  switch (view) {
    case 'run':
      return empty ? <StartPage /> : <RunView />;
    case 'slots':
      return <SlotsView />;
    case 'gate':
      return <GateView />;
    case 'ceiling':
      return <CeilingView />;
    case 'report':
      return <ReportView />;
    case 'settings':
      return <SettingsView />;
    default:
      return view satisfies never;
  }
}

/** Before the first snapshot: what is waited for, or why it does not come. */
function Waiting() {
  const connection = useEngine((state) => state.connection);
  const error = useEngine((state) => state.loadError);
  const isRefused = useEngine((state) => state.isRefused);
  const [lost, setLost] = useState(false);
  // Each try passes through `connecting`; the words stay until one succeeds.
  useEffect(() => {
    if (connection === 'closed') setLost(true);
  }, [connection]);
  return (
    <main className={styles.wait} aria-label="Connecting">
      {error !== undefined ? (
        <p role="alert">Headway could not say what it is doing: {error}</p>
      ) : isRefused ? (
        <p role="alert">
          This page has no access: its token is not good any more. Open the address that Headway printed.
        </p>
      ) : lost ? (
        <p role="alert">
          Headway does not answer. Is it running? If you opened this page by hand, open the address that it
          printed: it holds the token.
        </p>
      ) : (
        <p>Connecting…</p>
      )}
    </main>
  );
}

/** By then the first look, which needs the connection more, is over. */
const AHEAD_MS = 1000;

/**
 * Reads the other views once the first look is there: they are looked at also while the engine
 * is gone, and then their files could not be had.
 */
function useFilesAhead(loaded: boolean): void {
  useEffect(() => {
    if (!loaded) return;
    const timer = setTimeout(() => {
      // What cannot be read now is read, and its fault shown, when the view is opened.
      for (const read of Object.values(FILES)) read().catch(() => undefined);
    }, AHEAD_MS);
    return () => clearTimeout(timer);
  }, [loaded]);
}

/** The title counts what needs a person, for a window in the background. */
function useTitle(): void {
  const held = useModel(heldCount, 0);
  useEffect(() => {
    document.title = held > 0 ? `(${held}) Headway` : 'Headway';
  }, [held]);
}

function heldCount(model: Model): number {
  let held = 0;
  for (const job of model.jobs.values()) if (job.state === 'held') held += 1;
  return held;
}

/** Markdown files dropped anywhere become tickets; the browser would open them instead. */
function useFileDrop(): void {
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0 || uiStore.getState().dialog) return;
      void readTicketFiles(files).then((read) =>
        newTickets(presentRepoId(uiStore.getState().selectedJobId), read),
      );
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, []);
}
