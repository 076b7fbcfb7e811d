import type { Repository, Slot } from '../../shared/domain.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import type { Background } from './background.ts';
import type { Installer } from './installer.ts';
import { placeAt } from './layout.ts';
import type { Mirror } from './mirror.ts';
import { moveTo } from './reset.ts';
import type { SlotBook } from './slot-book.ts';
import type { SlotPlan } from './slot-plan.ts';

export type WarmOptions = {
  repository: Repository;
  mirror: Mirror;
  count: number;
  plan: SlotPlan;
  signal: AbortSignal;
  runnerId: string;
  book: SlotBook;
  installer: Installer;
  background: Background;
  create(commit: string): Promise<Slot>;
  /** Resetting → ready or quarantined; undefined where it is not ready. */
  reset(slot: Slot, caches: readonly string[]): Promise<Slot | undefined>;
};

/**
 * Brings ready slots to the base with its dependencies, and makes what is missing to `count`. Never in the way of a job. One failure stops no other
 * slot; the first is thrown when all have ended. A failed install leaves the slot ready with the reason in its row.
 */
export async function warmSlots(options: WarmOptions): Promise<Slot[]> {
  const { repository, mirror, book, background, signal } = options;
  await mirror.fetch(signal);
  const commit = await mirror.baseCommit(repository.base);
  if (!commit) throw new HeadwayError('not-found', `${repository.path} has no branch ${repository.base}`);
  const rows = await book.list(repository.id);
  const ready = rows.filter((slot) => slot.state === 'ready').slice(0, options.count);
  const coming = rows.filter((slot) => slot.state === 'warming' || slot.state === 'resetting');
  const missing = Math.max(0, options.count - ready.length - coming.length);
  const work = Array.from({ length: missing }, async () => equip(await options.create(commit), options)).map(
    (one) => background.coming(repository.id, one),
  );
  const settled = await Promise.allSettled([...work, refreshAll(ready, commit, options)]);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return (await book.list(repository.id)).filter((slot) => slot.state === 'ready');
}

/** One after another: the others stay ready for jobs meanwhile. One that lacks nothing is left alone. */
async function refreshAll(slots: readonly Slot[], commit: string, options: WarmOptions): Promise<void> {
  const { background, installer, mirror, plan, repository } = options;
  let first: unknown;
  for (const slot of slots) {
    const key = await installer.keyOf(mirror, commit, plan, slot.path);
    if (slot.commit === commit && slot.installedKey === key) continue;
    await background.coming(repository.id, refresh(slot, commit, options)).catch((thrown: unknown) => {
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
    if (outcome.kind === 'failed') reason = `install failed: ${outcome.why}`;
  } catch (thrown) {
    reason = `install failed: ${toError(thrown).message}`;
  }
  const resetting = await book.move(slot.id, ['warming'], { state: 'resetting' });
  if (!resetting || !(await options.reset(resetting, plan.caches))) return;
  if (reason !== undefined) await book.move(slot.id, ['ready'], { reason });
}
