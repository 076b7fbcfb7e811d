import { join } from 'node:path';
import type { Repository } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import type { SlotPlace } from '../../paths/layout.ts';
import { readInstalled, settleInstalled } from '../install/installed.ts';
import { freshGitDirectory, hasTrustedIndex, provenCommit, rememberProven } from '../tree/git-directory.ts';
import { type KeepRule, keepRule } from '../tree/kept-caches.ts';
import { assertFiltersOfTree } from '../tree/lfs.ts';
import { emptySubmodules, fillSubmodules } from '../tree/submodules.ts';
import { checkOut, proveClean, restoreTree, settleTree } from '../tree/tree.ts';
import { endLeftovers, lockState } from './leftovers.ts';

/** What a job may leave behind in the slot, as its plan says; `installed`: something is, and recorded in its row. */
export type Kept = { caches: readonly string[]; installed: boolean };

const ruleOf = async (place: SlotPlace, kept: Kept): Promise<KeepRule> =>
  keepRule(kept.caches, kept.installed ? ((await readInstalled(place))?.places ?? []) : []);

/** Ends leftover processes and makes sure that no living one holds the index. Throws `busy` with the reason. */
export async function quiet(place: SlotPlace, nowMs: number): Promise<void> {
  const left = await endLeftovers(place.path);
  if (left.length > 0) {
    throw new HeadwayError('busy', `process ${left.join(', ')} still works in the slot and can't be ended`);
  }
  const lock = await lockState(join(place.gitDirectory, 'index.lock'), nowMs);
  if (lock.kind === 'live') throw new HeadwayError('busy', `process ${lock.pid} holds the slot's index.lock`);
  if (lock.kind === 'unknown') {
    throw new HeadwayError('busy', "the slot's index.lock is fresh and its holder is not known");
  }
}

/**
 * Brings a slot back to its last proven commit with nothing of the job left but kept caches. `installed`: its packages are
 * as they were installed; else they are gone. Throws with the reason where that can't be proved; the slot must then be
 * quarantined.
 */
export async function resetSlot(
  place: SlotPlace,
  kept: Kept,
  nowMs: number,
): Promise<{ commit: string; installed: boolean }> {
  await quiet(place, nowMs);
  const commit = provenCommit(place);
  if (!commit) throw new HeadwayError('internal', 'the slot was never brought to a known state');
  // The packages are many files, and looking at them is another program's work: git goes on meanwhile, as if they were intact.
  const [settled, cleaned] = await Promise.allSettled([
    kept.installed ? settleInstalled(place, kept.caches) : false,
    cleanTree(place, commit, kept),
  ]);
  if (cleaned.status === 'rejected') throw cleaned.reason;
  if (settled.status === 'rejected') throw settled.reason;
  const installed = settled.value;
  if (!cleaned.value || installed !== kept.installed) {
    const why = await settleTree(place, commit, await ruleOf(place, { ...kept, installed }));
    if (why !== undefined) throw new HeadwayError('internal', `not clean after the reset: ${why}`);
  }
  rememberProven(place, commit);
  return { commit, installed };
}

/** The fast way; false where the thorough one has to be taken. */
async function cleanTree(place: SlotPlace, commit: string, kept: Kept): Promise<boolean> {
  const rule = await ruleOf(place, kept);
  await freshGitDirectory(place, commit, kept.caches);
  await emptySubmodules(place);
  return hasTrustedIndex(place, commit) && restoreTree(place, rule);
}

/**
 * Brings a slot with a pristine git directory to another commit, proves it and fills its submodules. One look is enough
 * where nothing ran in it since its reset; what that look finds is settled. Returns notes for a person.
 */
export async function moveTo(
  place: SlotPlace,
  commit: string,
  kept: Kept,
  repository: Repository,
  signal?: AbortSignal,
): Promise<string[]> {
  const rule = await ruleOf(place, kept);
  if (provenCommit(place) !== commit) await checkOut(place, commit, signal);
  const why = await proveClean(place, commit, rule).catch((thrown: unknown) => toError(thrown).message);
  if (why !== undefined) {
    const still = await settleTree(place, commit, rule);
    if (still !== undefined) throw new HeadwayError('internal', `not clean after the checkout: ${still}`);
  }
  rememberProven(place, commit);
  await assertFiltersOfTree(repository.path, place);
  return fillSubmodules(place, commit, repository);
}
