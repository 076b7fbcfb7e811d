import type { Job, Session } from '../../shared/domain.ts';
import { growLayout } from './even-grid.ts';
import { type Layout, paneIds, removePane, replacePane } from './tree.ts';

export type PlacementInput = {
  layout: Layout;
  sessions: ReadonlyMap<string, Session>;
  jobs: ReadonlyMap<string, Job>;
  /** Sessions that have been placed before, so that a pane which a person closed stays closed. */
  seen: ReadonlySet<string>;
  focusedId: string | undefined;
  /** Panes that open by themselves; a person may open more. */
  limit: number;
  aspect: number;
};

/** How many panes stay readable in a grid of this size. */
export function sensiblePaneCount(widthPx: number, heightPx: number): number {
  const across = Math.max(1, Math.floor(widthPx / 300));
  const down = Math.max(1, Math.floor(heightPx / 180));
  return Math.max(1, Math.min(6, across * down));
}

/**
 * Decides which panes open by themselves. A job's next attempt takes its last pane; a new job takes an empty place, or
 * that of the job pane that ended first and is not in focus; else it runs in the background. Panes of sessions that the
 * engine forgot go. Returns the same layout where nothing changes.
 */
export function placeSessions(input: PlacementInput): { layout: Layout; seen: ReadonlySet<string> } {
  const { sessions, jobs, focusedId, limit, aspect } = input;
  let { layout } = input;
  for (const id of paneIds(layout)) if (!sessions.has(id)) layout = removePane(layout, id);
  const fresh = [...sessions.values()]
    .filter((session) => session.state === 'live' && !input.seen.has(session.id))
    .sort((a, b) => a.createdAt - b.createdAt);
  if (fresh.length === 0) return { layout, seen: input.seen };
  const seen = new Set([...input.seen].filter((id) => sessions.has(id)));
  for (const session of fresh) {
    const panes = paneIds(layout);
    seen.add(session.id);
    if (panes.includes(session.id)) continue;
    const earlier = panes.find((id) => isEarlierAttempt(sessions.get(id), session));
    if (earlier !== undefined) {
      layout = replacePane(layout, earlier, session.id);
      continue;
    }
    if (panes.length < limit) {
      layout = growLayout(layout, session.id, aspect);
      continue;
    }
    const ended = panes
      .flatMap((id) => {
        const pane = sessions.get(id);
        const over = pane?.kind === 'job' && pane.state === 'exited' && id !== focusedId;
        return over && !needsReading(pane, jobs) ? [pane] : [];
      })
      .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))[0];
    if (ended) layout = replacePane(layout, ended.id, session.id);
  }
  return { layout, seen };
}

function isEarlierAttempt(shown: Session | undefined, next: Session): boolean {
  if (next.kind !== 'job' || next.jobId === undefined) return false;
  return shown?.kind === 'job' && shown.jobId === next.jobId;
}

/** What failed or waits for a person stays where it is until somebody has looked. */
function needsReading(session: Session, jobs: ReadonlyMap<string, Job>): boolean {
  const job = session.jobId === undefined ? undefined : jobs.get(session.jobId);
  return job?.state === 'held' || job?.state === 'failed';
}

/** Live sessions without a pane, oldest first. */
export function backgroundSessions(
  layout: Layout,
  sessions: ReadonlyMap<string, Session>,
): readonly Session[] {
  const panes = new Set(paneIds(layout));
  return [...sessions.values()]
    .filter((session) => session.state === 'live' && !panes.has(session.id))
    .sort((a, b) => a.createdAt - b.createdAt);
}
