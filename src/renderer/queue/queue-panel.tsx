import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, Plus } from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { explainCause } from '../../shared/cause.ts';
import type { Job } from '../../shared/domain.ts';
import { jobActions, runJobAction } from '../actions/job-actions.ts';
import { newTickets, presentRepoId } from '../actions/start-actions.ts';
import { NAMES } from '../names.ts';
import { GROUP_TITLES, type Group, groupJobs, groupOf, type QueueRow, queueRows } from '../state/grouping.ts';
import { useModel } from '../state/store.ts';
import { selectJob, uiStore, useUi } from '../state/ui-store.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, type MenuPlace } from '../ui/menu.tsx';
import { JobRow } from './job-row.tsx';
import styles from './queue.module.css';
import { anchoredTop, type PlacedRow } from './scroll-anchor.ts';

const NO_JOBS: ReadonlyMap<string, Job> = new Map();
const NO_ORDER: readonly string[] = [];
const ROW_PX = 28;
const TALL_ROW_PX = 48;

const isTall = (row: QueueRow): boolean => row.kind === 'job' && row.job.cause !== undefined;
const heightOf = (row: QueueRow | undefined): number => (row && isTall(row) ? TALL_ROW_PX : ROW_PX);

export function QueuePanel() {
  const jobs = useModel((model) => model.jobs, NO_JOBS);
  const order = useModel((model) => model.order, NO_ORDER);
  const folded = useUi((state) => state.folded);
  const selectedId = useUi((state) => state.selectedJobId);
  const [menu, setMenu] = useState<{ job: Job; at: MenuPlace }>();
  const groups = useMemo(() => groupJobs(jobs, order), [jobs, order]);
  const rows = useMemo(() => queueRows(groups, folded), [groups, folded]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    getItemKey: (index) => rowKey(rows[index]),
    overscan: 12,
  });

  // Heights follow the rows: a job that gets a reason grows by a line.
  const shape = rows.map((row) => (isTall(row) ? '1' : '0')).join('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the shape of the list changes
  useLayoutEffect(() => list.measure(), [shape]);

  useScrollAnchor(scroller, rows);

  // The selection is brought into view when it changes, not when rows move under it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const index = rows.findIndex((row) => row.kind === 'job' && row.job.id === selectedId);
    if (index >= 0) list.scrollToIndex(index, { align: 'auto' });
  }, [selectedId]);

  const selectedRow = rows.findIndex((row) => row.kind === 'job' && row.job.id === selectedId);
  return (
    <section className={styles.queue} aria-label={NAMES.queue}>
      <header className={styles.head}>
        <h2>Queue</h2>
        <IconButton
          icon={Plus}
          label={NAMES.newTickets}
          onClick={() => newTickets(presentRepoId(selectedId))}
        />
      </header>
      {rows.length === 0 && <p className={styles.empty}>No jobs yet. Tickets that you submit show here.</p>}
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are placed by transforms, which tables forbid */}
      <div
        ref={scroller}
        className={styles.list}
        role="grid"
        aria-label={NAMES.queue}
        aria-rowcount={rows.length}
        aria-activedescendant={selectedRow >= 0 ? `queue-${selectedId}` : undefined}
        tabIndex={0}
        data-queue
        hidden={rows.length === 0}
        onKeyDown={(event) => {
          const selected = selectedId === undefined ? undefined : jobs.get(selectedId);
          if (selected && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) {
            event.preventDefault();
            const box = document.getElementById(`queue-${selected.id}`)?.getBoundingClientRect();
            if (box) setMenu({ job: selected, at: { x: box.left + 24, y: box.bottom } });
            return;
          }
          if (selected && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
            event.preventDefault();
            fold(groupOf(selected), event.key === 'ArrowLeft');
            return;
          }
          if (selected && event.key === 'Enter') {
            event.preventDefault();
            focusInspector();
            return;
          }
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          const ids = rows.flatMap((row) => (row.kind === 'job' ? [row.job.id] : []));
          const at = selectedId === undefined ? -1 : ids.indexOf(selectedId);
          selectJob(ids[Math.min(ids.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))]);
        }}
      >
        <div className={styles.inner} style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            const place = { transform: `translateY(${item.start}px)`, height: item.size };
            return row.kind === 'group' ? (
              <GroupRow key={item.key} row={row} index={item.index} place={place} />
            ) : (
              <JobRow
                key={item.key}
                job={row.job}
                index={item.index}
                selected={row.job.id === selectedId}
                place={place}
                onMenu={(at) => setMenu({ job: row.job, at })}
              />
            );
          })}
        </div>
      </div>
      <p className="visually-hidden" aria-live="polite">
        {needsYouText(groups.get('needs-you') ?? [])}
      </p>
      {menu && (
        <Menu
          label={`Actions of ${menu.job.ticket.id}`}
          at={menu.at}
          onClose={() => setMenu(undefined)}
          items={jobActions(menu.job).map((action) => ({
            ...action,
            danger: action.id === 'cancel',
            run: () => runJobAction(menu.job, action.id),
          }))}
        />
      )}
    </section>
  );
}

/** Rows that are read keep their place while others above them come and go. */
function useScrollAnchor(scroller: RefObject<HTMLElement | null>, rows: readonly QueueRow[]): void {
  const before = useRef<readonly PlacedRow[]>([]);
  useLayoutEffect(() => {
    const after = placedRows(rows);
    const list = scroller.current;
    if (list) {
      const top = anchoredTop(before.current, after, list.scrollTop);
      if (top !== list.scrollTop) list.scrollTop = top;
    }
    before.current = after;
  }, [scroller, rows]);
}

function placedRows(rows: readonly QueueRow[]): readonly PlacedRow[] {
  let start = 0;
  return rows.map((row) => {
    const size = heightOf(row);
    const placed = { key: `${row.group} ${rowKey(row)}`, start, size };
    start += size;
    return placed;
  });
}

const rowKey = (row: QueueRow | undefined): string =>
  row?.kind === 'job' ? row.job.id : `group:${row?.group ?? ''}`;

function needsYouText(held: readonly Job[]): string {
  // The newest of them is what is new.
  const latest = held.at(-1);
  if (!latest) return '';
  const why = latest.cause ? `: ${explainCause(latest.cause).text}` : '';
  const more = held.length > 1 ? ` And ${held.length - 1} more.` : '';
  return `${latest.ticket.id} needs you${why}.${more}`;
}

function fold(group: Group, isFolded: boolean): void {
  uiStore.setState((state) => {
    const folded = new Set(state.folded);
    if (isFolded) folded.add(group);
    else folded.delete(group);
    return { folded };
  });
}

/** To the inspector of the job that is selected, which may have to open first. */
function focusInspector(): void {
  uiStore.setState({ inspectorOpen: true });
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus(),
  );
}

type GroupRowProps = {
  row: Extract<QueueRow, { kind: 'group' }>;
  index: number;
  place: { transform: string; height: number };
};

function GroupRow({ row, index, place }: GroupRowProps) {
  const Chevron = row.folded ? ChevronRight : ChevronDown;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div className={styles.row} style={place} role="row" aria-rowindex={index + 1} tabIndex={-1}>
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <div role="gridcell" tabIndex={-1}>
        <button
          type="button"
          className={styles.group}
          tabIndex={-1}
          aria-expanded={!row.folded}
          onClick={() => fold(row.group, !row.folded)}
        >
          <Chevron size={14} aria-hidden />
          {GROUP_TITLES[row.group]} <span className={styles.count}>{row.count}</span>
          {row.failed > 0 && <span className={styles.failed}>{row.failed} failed</span>}
        </button>
      </div>
    </div>
  );
}
