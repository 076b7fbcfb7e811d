import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { KeptWork } from '../../shared/contract.ts';
import type { Audit, Finding } from '../../shared/gate-report.ts';
import type { Layout } from '../layout/tree.ts';
import type { Group } from './grouping.ts';

export const VIEWS = ['run', 'slots', 'gate', 'ceiling', 'report', 'settings'] as const;
export type View = (typeof VIEWS)[number];

export const INSPECTOR_TABS = ['Overview', 'Diff', 'Gate', 'Ticket'] as const;
export type InspectorTab = (typeof INSPECTOR_TABS)[number];

export type TicketFile = { name: string; text: string };

export type Dialog =
  | { kind: 'palette' }
  | { kind: 'add-repository' }
  | { kind: 'tickets'; repoId: string | undefined; files: readonly TicketFile[] }
  | { kind: 'terminal'; beside: { paneId: string; edge: 'right' | 'bottom' } | undefined }
  | { kind: 'finish'; sessionId: string }
  | { kind: 'accept'; repoId: string; finding: Finding; accepted: (audit: Audit) => void }
  | { kind: 'recover'; kept: KeptWork }
  | { kind: 'approve-gate-change'; jobId: string }
  | { kind: 'paste'; sessionId: string; text: string; removed: number }
  | { kind: 'confirm'; title: string; text: string; verb: string; run: () => Promise<void> };

export type Toast = { id: number; level: 'info' | 'warning' | 'error'; text: string };

/** State of this window alone; the engine never hears of it. */
export type UiState = {
  view: View;
  selectedJobId: string | undefined;
  inspectorOpen: boolean;
  /** The selected job has the place of the panes: its diff and its gate at full width. */
  inspectorMaximised: boolean;
  /** The part of a job that is looked at; another job begins with its overview. */
  inspectorTab: { jobId: string; tab: InspectorTab } | undefined;
  folded: ReadonlySet<Group>;
  layout: Layout;
  seenSessions: ReadonlySet<string>;
  focusedPaneId: string | undefined;
  /** A pane whose terminal takes the keyboard as soon as it is on the page and no dialog is open. */
  focusWantedPaneId: string | undefined;
  maximisedPaneId: string | undefined;
  searchPaneId: string | undefined;
  dialog: Dialog | undefined;
  toasts: readonly Toast[];
  /** Actions under way by key, so that their buttons show it. */
  busy: ReadonlySet<string>;
};

export const uiStore = createStore<UiState>(() => ({
  view: 'run',
  selectedJobId: undefined,
  inspectorOpen: true,
  inspectorMaximised: false,
  inspectorTab: undefined,
  folded: new Set(),
  layout: undefined,
  seenSessions: new Set(),
  focusedPaneId: undefined,
  focusWantedPaneId: undefined,
  maximisedPaneId: undefined,
  searchPaneId: undefined,
  dialog: undefined,
  toasts: [],
  busy: new Set(),
}));

export function useUi<T>(select: (state: UiState) => T): T {
  return useStore(uiStore, select);
}

let lastToastId = 0;
const MAX_TOASTS = 4;

export function showToast(level: Toast['level'], text: string): void {
  const same = uiStore.getState().toasts.some((toast) => toast.text === text);
  if (same) return;
  lastToastId += 1;
  const id = lastToastId;
  uiStore.setState((state) => ({ toasts: [...state.toasts, { id, level, text }].slice(-MAX_TOASTS) }));
  // What went wrong stays until it is dismissed; the rest leaves by itself.
  if (level === 'info') setTimeout(() => dismissToast(id), 6000);
}

export function dismissToast(id: number): void {
  uiStore.setState((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) }));
}

export const openDialog = (dialog: Dialog): void => uiStore.setState({ dialog });
export const closeDialog = (): void => uiStore.setState({ dialog: undefined });
export const showView = (view: View): void => uiStore.setState({ view });
export const selectJob = (selectedJobId: string | undefined): void =>
  uiStore.setState({ selectedJobId, inspectorOpen: true });
