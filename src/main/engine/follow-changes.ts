import type { Session, Slot } from '../../shared/domain.ts';
import type { RepositoryRegistry } from '../repositories/registry.ts';
import type { RunnerIdentity } from '../runners/runner.ts';
import type { LiveSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { SessionHub } from '../terminals/session-hub.ts';
import type { EventBus } from './events.ts';

/** A change elsewhere is seen after this at the latest; a busy neighbour does not make us read all the time. */
const PAUSE_MS = 500;

/** What other processes on the same data directory change, besides jobs: those the scheduler follows itself. */
export interface FollowedChanges {
  /** Reads repositories, settings, slots and sessions anew, and tells of what differs. */
  refresh(): Promise<void>;
  refreshSessions(): Promise<void>;
  /** `refresh` in a moment, however often it is asked for. */
  soon(): void;
  stop(): Promise<void>;
}

export function followChanges(options: {
  store: Store;
  bus: EventBus;
  repositories: RepositoryRegistry;
  settings: LiveSettings;
  slots: Map<string, Slot>;
  hub: SessionHub;
  runner: RunnerIdentity;
  onProblem(thrown: unknown): void;
}): FollowedChanges {
  const { store, bus, repositories, settings, slots, hub, runner } = options;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  let stopped = false;

  const refreshSlots = async (): Promise<void> => {
    const rows = new Map((await store.slots.list()).map((slot) => [slot.id, slot]));
    for (const [id, slot] of rows) {
      if (JSON.stringify(slots.get(id)) === JSON.stringify(slot)) continue;
      slots.set(id, slot);
      bus.emit('slot.changed', slot);
    }
    for (const id of [...slots.keys()].filter((known) => !rows.has(known))) {
      slots.delete(id);
      bus.emit('slot.removed', { slotId: id });
    }
  };
  /** A session that lives may be another process's: it is shown once it has ended, or its process is gone. */
  const refreshSessions = async (): Promise<void> => {
    const ended: Session[] = [];
    for (const session of await store.sessions.list()) {
      if (hub.get(session.id)) continue;
      const { state, runnerId } = session;
      if (state === 'exited' || runnerId === undefined || !(await runner.exists(runnerId)))
        ended.push(session);
    }
    hub.restore(ended);
  };
  const refresh = async (): Promise<void> => {
    await repositories.refresh();
    await settings.refresh();
    await refreshSlots();
    await refreshSessions();
  };
  return {
    refresh,
    refreshSessions,
    soon() {
      // The scheduler looks a little longer than there is anybody to tell, and the store is closed then.
      if (stopped) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        round = refresh().catch(options.onProblem);
      }, PAUSE_MS).unref();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
