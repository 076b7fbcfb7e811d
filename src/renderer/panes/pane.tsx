import { Maximize2, Minimize2, Minus, MoreHorizontal, Search } from 'lucide-react';
import { memo, type PointerEvent, useMemo, useRef, useState } from 'react';
import { explainCause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';
import { closePane, toggleMaximised } from '../actions/session-actions.ts';
import { holdsSlot } from '../state/holds-slot.ts';
import { useModel } from '../state/store.ts';
import { selectJob, uiStore, useUi } from '../state/ui-store.ts';
import type { TerminalView } from '../terminals/session-terminal.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, type MenuPlace } from '../ui/menu.tsx';
import { EndBar } from './end-bar.tsx';
import { LinkBar } from './link-bar.tsx';
import { paneMenu } from './pane-menu.ts';
import { PaneTitle } from './pane-title.tsx';
import styles from './panes.module.css';
import { SearchBar } from './search-bar.tsx';
import { TerminalSurface } from './terminal-surface.tsx';

type Props = { sessionId: string; onDragStart: (event: PointerEvent, sessionId: string) => void };

export const Pane = memo(function Pane({ sessionId, onDragStart }: Props) {
  const session = useModel((model) => model.sessions.get(sessionId), undefined);
  const job = useModel((model) => {
    const jobId = model.sessions.get(sessionId)?.jobId;
    return jobId === undefined ? undefined : model.jobs.get(jobId);
  }, undefined);
  const unfinished = useModel((model) => holdsSlot(model, sessionId), false);
  const focused = useUi((state) => state.focusedPaneId === sessionId);
  const maximised = useUi((state) => state.maximisedPaneId === sessionId);
  const searching = useUi((state) => state.searchPaneId === sessionId);
  const [menu, setMenu] = useState<MenuPlace>();
  const [hovered, setHovered] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const [printed, setPrinted] = useState(false);
  const [found, setFound] = useState({ index: -1, count: 0 });
  const menuButton = useRef<HTMLButtonElement>(null);
  const view = useMemo<TerminalView>(
    () => ({
      printed: () => setPrinted(true),
      linkHovered: setHovered,
      linkChosen: setChosen,
      searched: (index, count) => setFound({ index, count }),
    }),
    [],
  );
  if (!session) return null;
  const title = job ? `${job.ticket.id} ${job.ticket.title}` : session.title;
  return (
    <section
      className={styles.pane}
      aria-label={`Pane ${title}`}
      data-focused={focused}
      onFocusCapture={() => {
        if (!focused) uiStore.setState({ focusedPaneId: sessionId });
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and the menu do the same as clicks on the title */}
      <header
        className={styles.bar}
        onPointerDown={(event) => {
          if (event.button === 0 && !(event.target as Element).closest('button'))
            onDragStart(event, sessionId);
        }}
        onClick={(event) => {
          if ((event.target as Element).closest('button')) return;
          uiStore.setState({ focusedPaneId: sessionId });
          if (job) selectJob(job.id);
        }}
        onDoubleClick={(event) => {
          if (!(event.target as Element).closest('button')) toggleMaximised(sessionId);
        }}
      >
        <PaneTitle session={session} job={job} />
        <div className={styles.tools}>
          <IconButton
            icon={Search}
            label="Search in pane"
            aria-pressed={searching}
            onClick={() => uiStore.setState({ searchPaneId: searching ? undefined : sessionId })}
          />
          <IconButton
            icon={maximised ? Minimize2 : Maximize2}
            label={maximised ? 'Restore pane' : 'Maximise pane'}
            onClick={() => toggleMaximised(sessionId)}
          />
          <IconButton icon={Minus} label="Close to background" onClick={() => closePane(sessionId)} />
          <IconButton
            ref={menuButton}
            icon={MoreHorizontal}
            label="Pane actions"
            aria-haspopup="menu"
            onClick={() => {
              const box = menuButton.current?.getBoundingClientRect();
              if (box) setMenu({ x: box.right - 200, y: box.bottom + 4 });
            }}
          />
        </div>
      </header>
      {searching && <SearchBar sessionId={sessionId} found={found} />}
      <TerminalSurface session={session} view={view} />
      {!printed && job?.state === 'running' && <p className={styles.quiet}>{quietText(job)}</p>}
      {hovered && !chosen && (
        <div className={styles.hover} role="tooltip">
          {hovered}
        </div>
      )}
      {chosen && <LinkBar target={chosen} onClose={() => setChosen(undefined)} />}
      {unfinished && <EndBar session={session} />}
      {menu && (
        <Menu
          label={`Actions of pane ${title}`}
          at={menu}
          items={paneMenu(session, job, unfinished)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </section>
  );
});

/** Before a job prints anything: what it does, or what it waits for. */
function quietText(job: Job): string {
  if (job.cause) return explainCause(job.cause).text;
  return job.stage === undefined ? 'starts' : `${job.stage}: no output yet`;
}
