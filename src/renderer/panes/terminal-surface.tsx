import { memo, useEffect, useRef } from 'react';
import type { Session } from '../../shared/domain.ts';
import { uiStore, useUi } from '../state/ui-store.ts';
import { hideTerminal, terminalFor } from '../terminals/registry.ts';
import type { TerminalView } from '../terminals/session-terminal.ts';
import styles from './panes.module.css';

/** The place of a terminal. It renders once per session: neither stage, time nor output pass through here. */
export const TerminalSurface = memo(
  function TerminalSurface({ session, view }: { session: Session; view: TerminalView }) {
    const ref = useRef<HTMLDivElement>(null);
    // biome-ignore lint/correctness/useExhaustiveDependencies: a session's later states concern the title, not the terminal
    useEffect(() => {
      if (!ref.current) return;
      terminalFor(session).attach(ref.current, view);
      return () => hideTerminal(session.id);
    }, [session.id, view]);
    const focusWanted = useUi(
      (state) => state.focusWantedPaneId === session.id && state.dialog === undefined,
    );
    useEffect(() => {
      if (!focusWanted) return;
      terminalFor(session).focus();
      uiStore.setState({ focusWantedPaneId: undefined });
    }, [focusWanted, session]);
    return <div ref={ref} className={styles.terminal} data-terminal={session.id} />;
  },
  (before, after) => before.session.id === after.session.id && before.view === after.view,
);
