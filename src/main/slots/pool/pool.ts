import { mkdirSync, realpathSync } from 'node:fs';
import type { Repository, Slot, SlotState } from '../../../shared/domain.ts';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { noteLeft } from '../../disk/left-in-trash.ts';
import type { LeftInTrash } from '../../disk/trash.ts';
import { steadily } from '../../limits/steadily.ts';
import { layoutOf, placeAt, type SlotUse, slotUse } from '../../paths/layout.ts';
import type { SlotRecords } from '../../store/store.ts';
import { createInstaller, type Installer } from '../install/installer.ts';
import { createMirror, type Mirror } from '../mirror/mirror.ts';
import { keepWork } from '../tree/keep.ts';
import { Background } from './background.ts';
import { commitsToCompare, slotsByWork } from './choose-slot.ts';
import { type ClaimedSlot, createClaimedSlot } from './claimed-slot.ts';
import { createSlot, discardSlot, remakeSlot } from './create-slot.ts';
import { DiskKeeper } from './disk-keeper.ts';
import { isOwn } from './identity.ts';
import { prepareSlot } from './prepare-slot.ts';
import { recoverSlots } from './recover.ts';
import { quiet, resetSlot } from './reset.ts';
import { createSlotBook, type SlotBook, UNHELD } from './slot-book.ts';
import { repositoryNotes } from './slot-notes.ts';
import type { SlotPlan } from './slot-plan.ts';
import { warmSlots } from './warm-slots.ts';

export type SlotPoolOptions = {
  /** Directory for mirrors, slots and trash; outside every repository. */
  root: string;
  records: SlotRecords;
  runnerId: string;
  isRunnerAlive(runnerId: string): Promise<boolean>;
  /** Milliseconds since 1970. */
  clock: () => number;
  maxInstalls: () => number;
  /** Takes secrets out of what installs print, before it becomes a reason; default: nothing is taken out. */
  redact?: (text: string) => string;
  /** What all slots together may take on the disk; default: no limit. */
  diskBudgetBytes?: () => number;
  /** A slot that went for the budget's sake. */
  onEvicted?(slot: Slot, why: string): void;
  /** Something in the trash that can't be deleted, once for each. */
  onLeft?(left: LeftInTrash): void;
  onChange(slot: Slot): void;
  onRemoved(slotId: string): void;
};

export type ClaimRequest = {
  repository: Repository;
  /** Default: work. */
  use?: SlotUse;
  commit: string;
  plan: SlotPlan;
  holder: { jobId?: string; sessionId?: string };
  signal: AbortSignal;
  onWait(why: string): void;
};

export interface SlotPool {
  /** Makes sure that `count` slots of the repository are ready on its base, dependencies installed; default: those for work. */
  warm(
    repository: Repository,
    count: number,
    plan: SlotPlan,
    signal?: AbortSignal,
    use?: SlotUse,
  ): Promise<Slot[]>;
  /** Makes one slot for the gate ready on the base, dependencies installed, where none is and none is being made. */
  spare(repository: Repository, plan: SlotPlan): Promise<void>;
  /** Hands out a slot whose tree is proved to be the commit; creates one where none is ready. */
  claim(request: ClaimRequest): Promise<ClaimedSlot>;
  /** Makes a slot anew, e.g. one in quarantine. Throws `not-allowed` while a job holds it. */
  rebuild(slotId: string): Promise<Slot>;
  remove(slotId: string): Promise<void>;
  /** At start: ends what dead runners left running, keeps its work, resets or quarantines their slots. */
  recover(): Promise<void>;
  mirror(repository: Repository): Mirror;
  /** Key of what an install of the commit would give; undefined: nothing is installed. */
  dependencyKey(repository: Repository, commit: string, plan: SlotPlan): Promise<string | undefined>;
  /** Measures slots and evicts what exceeds the budget, in a while; after each job it does so by itself. */
  tidySoon(): void;
  /** As `tidySoon`, at once. Never throws. */
  tidy(): Promise<void>;
  /** Measures those whose size is not known or old, and evicts none. */
  measure(): Promise<void>;
  /** Waits for resets and deletions in the background. */
  close(): Promise<void>;
}

/** Nobody works in them. */
const AT_REST: readonly SlotState[] = ['ready', 'quarantined', 'cold'];

/** Claims of one lane wait for each other's slots. */
const laneOf = (repoId: string, use: SlotUse = 'work'): string => `${repoId} ${use}`;
const laneOfSlot = (slot: Slot): string => laneOf(slot.repoId, slotUse(slot));

export function createSlotPool(options: SlotPoolOptions): SlotPool {
  return new Pool(options);
}

class Pool implements SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #root: string;
  readonly #book: SlotBook;
  readonly #installer: Installer;
  readonly #notes = new Map<string, Promise<string[]>>();
  readonly #mirrors = new Map<string, Mirror>();
  readonly #background: Background;
  readonly #closing = new AbortController();
  readonly #disk: DiskKeeper;

  constructor(options: SlotPoolOptions) {
    this.#options = options;
    mkdirSync(options.root, { recursive: true });
    // The process table and git name real paths.
    this.#root = realpathSync(options.root);
    this.#book = createSlotBook({ ...options, closing: this.#closing.signal });
    this.#installer = createInstaller({
      maxInstalls: options.maxInstalls,
      redact: options.redact ?? ((text) => text),
    });
    const told = new Set<string>();
    this.#background = new Background(async (trash, left) => {
      await noteLeft(trash, left);
      for (const one of left) {
        if (told.has(one.path)) continue;
        told.add(one.path);
        options.onLeft?.(one);
      }
    });
    this.#disk = new DiskKeeper({
      book: this.#book,
      clock: options.clock,
      budgetBytes: options.diskBudgetBytes ?? (() => Number.POSITIVE_INFINITY),
      evict: (slot, why) => this.#discard(slot, ['ready'], why),
      onEvicted: (slot, why) => options.onEvicted?.(slot, why),
    });
  }

  tidySoon(): void {
    this.#disk.soon();
  }

  tidy(): Promise<void> {
    return this.#disk.look();
  }

  measure(): Promise<void> {
    return this.#disk.measure();
  }

  mirror(repository: Repository): Mirror {
    let mirror = this.#mirrors.get(repository.id);
    if (!mirror) {
      mirror = createMirror(repository, layoutOf(this.#root, repository.id));
      this.#mirrors.set(repository.id, mirror);
    }
    return mirror;
  }

  dependencyKey(repository: Repository, commit: string, plan: SlotPlan): Promise<string | undefined> {
    return this.#installer.keyOf(this.mirror(repository), commit, plan, '');
  }

  async claim(request: ClaimRequest): Promise<ClaimedSlot> {
    const { repository, commit, signal } = request;
    const mirror = this.mirror(repository);
    await mirror.ensureCommit(commit, signal);
    const passedOver = new Set<string>();
    for (;;) {
      this.#assertOpen(signal);
      const slot =
        (await this.#takeReady(request, passedOver)) ??
        ((await this.#background.next(laneOf(repository.id, request.use), signal, () =>
          request.onWait('a slot is being made ready'),
        ))
          ? undefined
          : await this.#createClaimed(request));
      if (!slot) continue;
      const submoduleNotes = await this.#prepare(slot, request, passedOver);
      if (!submoduleNotes) continue;
      const claimed = await this.#book.move(slot.id, ['claimed'], { commit, usedAt: this.#options.clock() });
      if (!claimed) continue;
      return createClaimedSlot({
        slot: claimed,
        repository,
        notes: await this.#notesOf(repository),
        submoduleNotes,
        plan: request.plan,
        mirror,
        book: this.#book,
        installer: this.#installer,
        clock: this.#options.clock,
        closing: this.#closing.signal,
        quarantine: (row, reason) => this.#quarantine(row, reason),
        release: (row, plan) => this.#background.coming(laneOfSlot(row), this.#release(row, plan)),
      });
    }
  }

  /** Asked once: they are for reading, and asking costs as much as a hand-out. */
  #notesOf(repository: Repository): Promise<string[]> {
    let notes = this.#notes.get(repository.id);
    if (!notes) {
      notes = repositoryNotes(repository).catch(() => []);
      this.#notes.set(repository.id, notes);
    }
    return notes;
  }

  async #takeReady(request: ClaimRequest, passedOver: ReadonlySet<string>): Promise<Slot | undefined> {
    const { repository, commit, plan, holder, use = 'work' } = request;
    const ready = (await this.#book.list(repository.id)).filter(
      (slot) => slot.state === 'ready' && slotUse(slot) === use && !passedOver.has(slot.id),
    );
    // The key costs something for a new commit; with one slot, or all alike, it decides nothing.
    const differ = new Set(ready.map((slot) => slot.installedKey)).size > 1;
    const key = differ
      ? await this.#installer.keyOf(this.mirror(repository), commit, plan, ready[0]?.path ?? '')
      : undefined;
    const distances = await this.#distances(commitsToCompare(ready, { commit, key }), request);
    for (const slot of slotsByWork(ready, { commit, key, distances })) {
      const taken = await this.#book.move(slot.id, ['ready'], {
        state: 'claimed',
        ...UNHELD,
        ...holder,
        runnerId: this.#options.runnerId,
      });
      if (taken) return taken;
    }
    return undefined;
  }

  /** Only where several slots are as good but for their commits: each answer takes a git process, and is kept. */
  async #distances(
    commits: readonly string[],
    { repository, commit }: ClaimRequest,
  ): Promise<ReadonlyMap<string, number>> {
    const mirror = this.mirror(repository);
    const rows = commits.map(
      async (from): Promise<[string, number]> => [from, await mirror.distance(from, commit)],
    );
    return new Map(await Promise.all(rows).catch(() => [])); // any slot will do
  }

  /** Undefined: this slot is not for us; else notes about it. */
  async #prepare(slot: Slot, request: ClaimRequest, passedOver: Set<string>): Promise<string[] | undefined> {
    const { commit, plan, repository, signal } = request;
    const prepared = await prepareSlot(placeAt(slot.path), {
      commit,
      kept: { caches: plan.caches, installed: slot.installedKey !== undefined },
      repository,
      nowMs: this.#options.clock(),
      signal,
    });
    if (prepared.kind === 'ready') return prepared.notes;
    if (prepared.kind === 'lost') return this.#forget(slot);
    request.onWait(`slot ${slot.id}: ${prepared.why}`);
    if (prepared.kind === 'outdated') {
      await this.#discard(slot, ['claimed'], prepared.why);
      return undefined;
    }
    if (prepared.kind === 'locked' || prepared.error) passedOver.add(slot.id);
    if (prepared.kind === 'locked') {
      await this.#book.move(slot.id, ['claimed'], { state: 'ready', ...UNHELD });
      return undefined;
    }
    // The reset decides whether the slot is at fault or the commit: it may go back to where it was proved before.
    await this.#background.coming(laneOfSlot(slot), this.#release(slot, plan));
    if (signal.aborted) throw new HeadwayError('cancelled', 'cancelled while the slot was prepared');
    if (prepared.error instanceof HeadwayError && prepared.error.code === 'unavailable') {
      throw new HeadwayError('unavailable', `no slot: ${prepared.why}`, { cause: prepared.error });
    }
    return undefined;
  }

  async #createClaimed(request: ClaimRequest): Promise<Slot | undefined> {
    request.onWait('no slot is ready: one is being made');
    const { repository, commit, use, holder, signal } = request;
    const slot = await this.#create({ repository, commit, use, holder, signal });
    return slot && this.#book.move(slot.id, ['warming'], { state: 'claimed' });
  }

  #create(
    request: Pick<ClaimRequest, 'repository' | 'commit' | 'use' | 'holder' | 'signal'>,
    wanted?: (others: readonly Slot[]) => boolean,
  ): Promise<Slot | undefined> {
    return createSlot({
      ...request,
      use: request.use ?? 'work',
      root: this.#root,
      mirror: this.mirror(request.repository),
      runnerId: this.#options.runnerId,
      book: this.#book,
      nowMs: this.#options.clock(),
      ...(wanted ? { wanted } : {}),
    });
  }

  /** Claimed → resetting → ready, or quarantined. Never throws. */
  async #release(slot: Slot, plan: SlotPlan): Promise<void> {
    const held = await this.#book.move(slot.id, ['claimed', 'warming'], {
      state: 'resetting',
      ...UNHELD,
      runnerId: this.#options.runnerId,
    });
    if (held) await this.#reset(held, plan.caches);
  }

  async #reset(slot: Slot, caches: readonly string[]): Promise<Slot | undefined> {
    const place = placeAt(slot.path);
    if (!(await isOwn(place))) return this.#forget(slot);
    try {
      const kept = { caches, installed: slot.installedKey !== undefined };
      const { commit, installed } = await steadily(
        () => resetSlot(place, kept, this.#options.clock()),
        this.#closing.signal,
      );
      this.#background.empty(place.trash);
      this.#disk.soon();
      return await this.#book.move(slot.id, ['resetting'], {
        state: 'ready',
        commit,
        reason: undefined,
        ...(installed ? {} : { installedKey: undefined }),
        ...UNHELD,
      });
    } catch (thrown) {
      await this.#quarantine(slot, toError(thrown).message);
      return undefined;
    }
  }

  async #quarantine(slot: Slot, reason: string): Promise<void> {
    await this.#book.move(slot.id, ['claimed', 'warming', 'resetting', 'ready'], {
      state: 'quarantined',
      reason,
      ...UNHELD,
    });
  }

  /** A slot whose directory somebody removed or replaced. */
  async #forget(slot: Slot): Promise<undefined> {
    await discardSlot(slot.path).catch(() => undefined); // nothing of ours is left there
    await this.#book.remove(slot.id);
  }

  warm(
    repository: Repository,
    count: number,
    plan: SlotPlan,
    signal: AbortSignal = this.#closing.signal,
    use: SlotUse = 'work',
  ): Promise<Slot[]> {
    return warmSlots({
      repository,
      mirror: this.mirror(repository),
      use,
      lane: laneOf(repository.id, use),
      count,
      plan,
      signal,
      runnerId: this.#options.runnerId,
      book: this.#book,
      installer: this.#installer,
      background: this.#background,
      create: (commit, wanted) => this.#create({ repository, commit, use, holder: {}, signal }, wanted),
      isRunnerAlive: this.#options.isRunnerAlive,
      reset: (slot, caches) => this.#reset(slot, caches),
    });
  }

  async spare(repository: Repository, plan: SlotPlan): Promise<void> {
    const rest = (await this.#book.list(repository.id)).some(
      (slot) => slotUse(slot) === 'gate' && ['ready', 'warming', 'resetting'].includes(slot.state),
    );
    if (!rest) await this.warm(repository, 1, plan, this.#closing.signal, 'gate');
  }

  async rebuild(slotId: string): Promise<Slot> {
    const slot = await this.#book.get(slotId);
    await this.#saveWork(slot, 'rebuilt');
    const taken = await this.#takeAway(slot, 'is made anew');
    const place = placeAt(taken.path);
    try {
      const commit = await remakeSlot(place, taken.commit);
      const made = await this.#book.move(taken.id, ['warming'], {
        state: 'ready',
        commit,
        installedKey: undefined,
        reason: undefined,
        ...UNHELD,
      });
      if (!made) throw new HeadwayError('conflict', `slot ${slotId} was taken away meanwhile`);
      return made;
    } catch (thrown) {
      await this.#quarantine(taken, toError(thrown).message);
      throw thrown;
    } finally {
      this.#background.empty(place.trash);
    }
  }

  async remove(slotId: string): Promise<void> {
    const slot = await this.#book.get(slotId);
    await this.#saveWork(slot, 'removed');
    await this.#discard(slot, AT_REST, 'is removed');
  }

  /**
   * Work may lie in a slot in quarantine. Best effort: a person wants the slot gone or new, and its reason said what could not
   * be kept. Before the slot is taken away, so that a crash in between loses nothing.
   */
  async #saveWork(slot: Slot, label: string): Promise<void> {
    const place = placeAt(slot.path);
    if (slot.state !== 'quarantined' || !(await isOwn(place))) return;
    const nowMs = this.#options.clock();
    await quiet(place, nowMs).catch(() => undefined);
    await keepWork(place, `${label}-${place.name}-${nowMs}`, []).catch(() => undefined);
  }

  async #discard(slot: Slot, from: readonly SlotState[], why: string): Promise<void> {
    const taken = await this.#takeAway(slot, why, from);
    try {
      await discardSlot(taken.path);
    } catch (thrown) {
      await this.#quarantine(taken, `can't be removed: ${toError(thrown).message}`);
      throw thrown;
    }
    await this.#book.remove(taken.id);
    this.#background.empty(placeAt(taken.path).trash);
  }

  async #takeAway(slot: Slot, reason: string, from = AT_REST): Promise<Slot> {
    const taken = await this.#book.move(slot.id, from, {
      state: 'warming',
      runnerId: this.#options.runnerId,
      reason,
    });
    if (taken) return taken;
    // Read anew: another process may have been quicker.
    const { state } = await this.#book.get(slot.id);
    throw new HeadwayError(
      'not-allowed',
      `slot ${slot.id} is ${state}: wait until whoever has it lets it go`,
    );
  }

  recover(): Promise<void> {
    return recoverSlots({
      book: this.#book,
      runnerId: this.#options.runnerId,
      isRunnerAlive: this.#options.isRunnerAlive,
      nowMs: this.#options.clock(),
      closing: this.#closing.signal,
      reset: (slot) => this.#reset(slot, []),
      quarantine: (slot, reason) => this.#quarantine(slot, reason),
      forget: (slot) => this.#forget(slot),
      emptyTrash: (trash) => this.#background.empty(trash),
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#disk.close();
    await this.#background.settle();
  }

  #assertOpen(signal: AbortSignal): void {
    if (signal.aborted) throw new HeadwayError('cancelled', 'cancelled while waiting for a slot');
    if (this.#closing.signal.aborted) throw new HeadwayError('unavailable', 'the slot pool is closed');
  }
}
