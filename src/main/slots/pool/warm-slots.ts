import { setTimeout as delay } from 'node:timers/promises';
import type { Repository, Slot } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { placeAt, type SlotUse, slotUse } from '../../paths/layout.ts';
import type { Installer } from '../install/installer.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { Background } from './background.ts';
import { moveTo } from './reset.ts';
import type { SlotBook } from './slot-book.ts';
import type { SlotPlan } from './slot-plan.ts';

/** How often a runner looks at what another one is making. */
const LOOK_MS = 200;
const INSTALL_FAILED = 'install failed: ';

/** Why a ready slot lacks its dependencies; undefined where it does not. */
export const failedInstallOf = ({ reason }: Pick<Slot, 'reason'>): string | undefined =>
  reason?.startsWith(INSTALL_FAILED) ? reason.slice(INSTALL_FAILED.length) : undefined;

export type WarmOptions = {
  repository: Repository;
  mirror: Mirror;
  use: SlotUse;
  count: number;
  plan: SlotPlan;
  signal: AbortSignal;
  runnerId: string;
  book: SlotBook;
  installer: Installer;
  background: Background;
  /** Under which name claims wait for what is made. */
  lane: string;
  create(commit: string, wanted: (others: readonly Slot[]) => boolean): Promise<Slot | undefined>;
  isRunnerAlive(runnerId: string): Promise<boolean>;
  /** Resetting → ready or quarantined; undefined where it is not ready. */
  reset(slot: Slot, caches: readonly string[]): Promise<Slot | undefined>;
};

/**
 * Brings ready slots to the base with its dependencies, and makes what is missing to `count`; slots that another runner is making
 * are waited for. Never in the way of a job. One failure stops no other slot; the first is thrown when all have ended. A failed
 * install leaves the slot ready with the reason in its row.
 */
export async function warmSlots(options: WarmOptions): Promise<Slot[]> {
  const { repository, mirror, background, count, lane, signal, use } = options;
  await mirror.fetch(signal);
  const commit = await mirror.baseCommit(repository.base);
  if (!commit) throw new HeadwayError('not-found', `${repository.path} has no branch ${repository.base}`);
  for (let created = 0; ; ) {
    const { ready, coming, left } = await present(options);
    const wanted = (others: readonly Slot[]): boolean =>
      others.filter((slot) => slotUse(slot) === use && isPresent(slot) && !left.has(slot.id)).length < count;
    const missing = Math.max(0, Math.min(count - created, count - ready.length - coming.length));
    const make = async (): Promise<void> => {
      const slot = await options.create(commit, wanted);
      if (!slot) return;
      created += 1;
      await equip(slot, options);
    };
    const work = Array.from({ length: missing }, make).map((one) => background.coming(lane, one));
    const settled = await Promise.allSettled([...work, refreshAll(ready.slice(0, count), commit, options)]);
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    const now = await present(options);
    if (now.ready.length >= count || now.coming.length === 0 || signal.aborted) return now.ready;
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined); // aborted: the next look is the last
  }
}

const isPresent = ({ state }: Slot): boolean => ['ready', 'warming', 'resetting'].includes(state);

/** Slots that are ready, those that somebody is making ready, and those that a runner left that is gone. */
async function present({
  repository,
  use,
  book,
  runnerId,
  isRunnerAlive,
}: WarmOptions): Promise<{ ready: Slot[]; coming: Slot[]; left: ReadonlySet<string> }> {
  const rows = (await book.list(repository.id)).filter((slot) => slotUse(slot) === use && isPresent(slot));
  const held = rows.filter((slot) => slot.state !== 'ready');
  const comes = await Promise.all(
    held.map(
      async (slot) =>
        slot.runnerId === runnerId || (slot.runnerId !== undefined && (await isRunnerAlive(slot.runnerId))),
    ),
  );
  return {
    ready: rows.filter((slot) => slot.state === 'ready'),
    coming: held.filter((_, index) => comes[index]),
    left: new Set(held.filter((_, index) => !comes[index]).map(({ id }) => id)),
  };
}

/** One after another: the others stay ready for jobs meanwhile. One that lacks nothing is left alone. */
async function refreshAll(slots: readonly Slot[], commit: string, options: WarmOptions): Promise<void> {
  const { background, installer, lane, mirror, plan } = options;
  let first: unknown;
  for (const slot of slots) {
    const key = await installer.keyOf(mirror, commit, plan, slot.path);
    if (slot.commit === commit && slot.installedKey === key) continue;
    await background.coming(lane, refresh(slot, commit, options)).catch((thrown: unknown) => {
      first ??= thrown;
    });
  }
  if (first !== undefined) throw first;
}

async function refresh(slot: Slot, commit: string, options: WarmOptions): Promise<void> {
  const { book, plan, repository, signal } = options;
  const taken = await book.move(slot.id, ['ready'], {
    state: 'warming',
    runnerId: options.runnerId,
    reason: 'is brought to the base',
  });
  if (!taken) return; // a job was faster
  const kept = { caches: plan.caches, installed: taken.installedKey !== undefined };
  try {
    await moveTo(placeAt(slot.path), commit, kept, repository, signal);
  } catch (thrown) {
    const resetting = await book.move(slot.id, ['warming'], { state: 'resetting' });
    if (resetting) await options.reset(resetting, plan.caches);
    if (!signal.aborted) throw thrown;
    return;
  }
  const moved = await book.move(slot.id, ['warming'], { commit });
  if (moved) await equip(moved, options);
}

/** Installs into a warming slot and makes it ready. */
async function equip(slot: Slot, options: WarmOptions): Promise<void> {
  const { book, plan, mirror, signal } = options;
  const place = placeAt(slot.path);
  let reason: string | undefined;
  try {
    const outcome = await options.installer.install(
      { place, commit: slot.commit ?? '', installedKey: slot.installedKey, mirror, plan },
      { output: () => undefined, signal, onWait: () => undefined, priority: 'warm-up' },
      async (installedKey) => {
        await book.move(slot.id, ['warming'], { installedKey, reason: 'installs' });
      },
    );
    reason =
      outcome.kind === 'failed' ? `${INSTALL_FAILED}${outcome.why}` : outcome.notes?.join('; ') || undefined;
  } catch (thrown) {
    reason = `${INSTALL_FAILED}${toError(thrown).message}`;
  }
  const resetting = await book.move(slot.id, ['warming'], { state: 'resetting' });
  if (!resetting || !(await options.reset(resetting, plan.caches))) return;
  if (reason !== undefined) await book.move(slot.id, ['ready'], { reason });
}
