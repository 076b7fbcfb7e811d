import type { Repository, Slot } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { assertBranchName } from '../../git/branch-name.ts';
import { steadily } from '../../limits/steadily.ts';
import { placeAt } from '../../paths/layout.ts';
import type { Environment } from '../../processes/environment.ts';
import { installedChange, settleInstalled } from '../install/installed.ts';
import type { Installer, InstallOutcome, InstallRequest } from '../install/installer.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { freshGitDirectory, provenCommit, startBranch } from '../tree/git-directory.ts';
import { keepWork } from '../tree/keep.ts';
import { createStepCaches, type StepCaches } from '../tree/step-caches.ts';
import { emptySubmodules } from '../tree/submodules.ts';
import { slotEnvironment } from './leftovers.ts';
import { moveTo, quiet } from './reset.ts';
import type { SlotBook } from './slot-book.ts';
import type { SlotPlan } from './slot-plan.ts';

/** A slot that belongs to one job until it is disposed of. */
export interface ClaimedSlot extends AsyncDisposable {
  readonly slot: Slot;
  readonly path: string;
  /** What a person should know about jobs in this slot, e.g. a submodule that stays empty. */
  readonly notes: readonly string[];
  /** Goes into the environment of everything that runs in the slot, so that what it leaves behind is found. */
  readonly env: Environment;
  readonly stepCaches: StepCaches;
  /**
   * Puts the commit on a new job branch, with a tree proved clean and a pristine git directory: commits of the job that
   * the mirror does not hold are gone afterwards (see `Mirror.adopt`). Throws `not-found` for an unknown commit.
   */
  checkout(commit: string, branch: string): Promise<void>;
  /** Installs only where the dependency key of the checked-out commit differs from what is installed. */
  install(options: InstallRequest): Promise<InstallOutcome>;
  /** See `installedChange`. */
  installedChange(mayWrite: (path: string) => boolean): Promise<string | undefined>;
  /** See `keepWork`. Ends what still runs first. Where it throws, the slot is quarantined. */
  keep(label: string): Promise<string | undefined>;
  /** Ends leftovers and resets; settles when the slot is ready again or quarantined. Never throws. */
  [Symbol.asyncDispose](): Promise<void>;
}

export type ClaimedSlotOptions = {
  slot: Slot;
  repository: Repository;
  /** Of the repository, and of the commit that is checked out. */
  notes: readonly string[];
  submoduleNotes: readonly string[];
  plan: SlotPlan;
  mirror: Mirror;
  book: SlotBook;
  installer: Installer;
  clock: () => number;
  closing: AbortSignal;
  quarantine(slot: Slot, reason: string): Promise<void>;
  /** Resets and makes it ready. */
  release(slot: Slot, plan: SlotPlan): Promise<void>;
};

export function createClaimedSlot(options: ClaimedSlotOptions): ClaimedSlot {
  const { plan, mirror, book, clock } = options;
  let slot = options.slot;
  let notes: readonly string[] = [...options.notes, ...options.submoduleNotes];
  let installNotes: readonly string[] = [];
  const place = placeAt(slot.path);
  const stepCaches = createStepCaches(place);
  /** Nothing of the job has run since the tree was proved. */
  let pristine = true;
  let quarantined = false;
  let disposal: Promise<void> | undefined;

  const change = async (fields: Partial<Slot>): Promise<void> => {
    const next = await book.move(slot.id, ['claimed'], fields);
    if (!next) throw new HeadwayError('conflict', `slot ${slot.id} is not claimed any more`);
    slot = next;
  };

  const bring = async (commit: string): Promise<void> => {
    await quiet(place, clock());
    await mirror.ensureCommit(commit).catch(async (thrown: unknown) => {
      // A commit that the job made: its objects live in the slot alone, and a fresh git directory drops them.
      await mirror.adopt(place.path, commit, `refs/headway/base/${commit}`).catch(() => {
        throw thrown;
      });
    });
    const proven = provenCommit(place);
    if (proven) await freshGitDirectory(place, proven, plan.caches);
    await emptySubmodules(place);
    if (slot.installedKey !== undefined && !(await settleInstalled(place, plan.caches))) {
      await change({ installedKey: undefined });
    }
    const kept = { caches: plan.caches, installed: slot.installedKey !== undefined };
    notes = [...options.notes, ...(await moveTo(place, commit, kept, options.repository))];
    await change({ commit });
  };

  return {
    get slot() {
      return slot;
    },
    get notes() {
      return [...notes, ...installNotes];
    },
    path: slot.path,
    env: slotEnvironment(place),
    stepCaches,

    async checkout(commit, branch) {
      assertBranchName(branch);
      if (!pristine || slot.commit !== commit) await bring(commit);
      pristine = false;
      startBranch(place, branch, commit);
    },

    async install(request) {
      const commit = slot.commit;
      if (commit === undefined) throw new HeadwayError('internal', `slot ${slot.id} has no commit`);
      const outcome = await options.installer.install(
        { place, commit, installedKey: slot.installedKey, mirror, plan },
        request,
        (installedKey) => change({ installedKey }),
      );
      installNotes = outcome.kind === 'failed' ? [] : (outcome.notes ?? []);
      return outcome;
    },

    installedChange: (mayWrite) => installedChange(place, plan.caches, mayWrite),

    async keep(label) {
      try {
        return await steadily(async () => {
          await quiet(place, clock());
          return keepWork(place, label, plan.caches);
        }, options.closing);
      } catch (thrown) {
        quarantined = true;
        const why = `its work could not be kept: ${toError(thrown).message}`;
        await options.quarantine(slot, why);
        throw new HeadwayError('internal', `slot ${slot.id}: ${why}`, { cause: thrown });
      }
    },

    [Symbol.asyncDispose]() {
      disposal ??= stepCaches
        .drop()
        .catch(() => undefined) // the next claim drops it
        .then(() => (quarantined ? undefined : options.release(slot, plan)));
      return disposal;
    },
  };
}
