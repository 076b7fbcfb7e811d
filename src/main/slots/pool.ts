import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository, Slot } from '../../shared/domain.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import type { SlotRecords } from '../store/store.ts';
import { slotsByWork } from './choose-slot.ts';
import { type ClaimedSlot, createClaimedSlot } from './claimed-slot.ts';
import { createSlot, discardSlot, remakeSlot } from './create-slot.ts';
import { isOwn } from './identity.ts';
import { createInstaller, type Installer } from './installer.ts';
import { layoutOf, placeAt } from './layout.ts';
import { lockState, processesIn } from './leftovers.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { recoverSlots } from './recover.ts';
import { moveTo, resetSlot } from './reset.ts';
import { createSlotBook, type SlotBook, UNHELD } from './slot-book.ts';
import { repositoryNotes } from './slot-notes.ts';
import type { SlotPlan } from './slot-plan.ts';
import { emptyTrash, moveToTrash } from './trash.ts';

export type SlotPoolOptions = {
  /** Directory for mirrors, slots and trash; outside every repository. */
  root: string;
  records: SlotRecords;
  runnerId: string;
  /** Milliseconds since 1970. */
  clock: () => number;
  maxInstalls: () => number;
  onChange(slot: Slot): void;
  onRemoved(slotId: string): void;
};

export type ClaimRequest = {
  repository: Repository;
  commit: string;
  plan: SlotPlan;
  holder: { jobId?: string; sessionId?: string };
  signal: AbortSignal;
  onWait(why: string): void;
};

export interface SlotPool {
  /** Makes sure that `count` slots of the repository are ready on its base, dependencies installed. */
  warm(repository: Repository, count: number, plan: SlotPlan, signal?: AbortSignal): Promise<Slot[]>;
  /** Hands out a slot whose tree is proved to be the commit; creates one where none is ready. */
  claim(request: ClaimRequest): Promise<ClaimedSlot>;
  /** Makes a slot anew, e.g. one in quarantine. Throws `not-allowed` while a job holds it. */
  rebuild(slotId: string): Promise<Slot>;
  remove(slotId: string): Promise<void>;
  /** At start: ends what dead runners left running, keeps its work, resets or quarantines their slots. */
  recover(isRunnerAlive: (runnerId: string) => Promise<boolean>): Promise<void>;
  mirror(repository: Repository): Mirror;
  /** Waits for resets and deletions in the background. */
  close(): Promise<void>;
}

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
  /** Slots of this process that will be ready soon, by repository. */
  readonly #coming = new Map<string, Set<Promise<unknown>>>();
  readonly #waiting = new Map<string, number>();
  readonly #background = new Set<Promise<unknown>>();
  readonly #trash = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: SlotPoolOptions) {
    this.#options = options;
    mkdirSync(options.root, { recursive: true });
    // The process table and git name real paths.
    this.#root = realpathSync(options.root);
    this.#book = createSlotBook(options);
    this.#installer = createInstaller({ maxInstalls: options.maxInstalls });
  }

  mirror(repository: Repository): Mirror {
    let mirror = this.#mirrors.get(repository.id);
    if (!mirror) {
      mirror = createMirror(repository, layoutOf(this.#root, repository.id));
      this.#mirrors.set(repository.id, mirror);
    }
    return mirror;
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
        ((await this.#awaitComing(request)) ? undefined : await this.#createClaimed(request));
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
        quarantine: (row, reason) => this.#quarantine(row, reason),
        release: (row, plan) => this.#soon(row.repoId, this.#release(row, plan)),
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
    const { repository, commit, plan, holder } = request;
    const ready = (await this.#book.list(repository.id)).filter(
      (slot) => slot.state === 'ready' && !passedOver.has(slot.id),
    );
    // The key costs something for a new commit; with one slot, or all alike, it decides nothing.
    const differ = new Set(ready.map((slot) => slot.installedKey)).size > 1;
    const key = differ
      ? await this.#installer.keyOf(this.mirror(repository), commit, plan, ready[0]?.path ?? '')
      : undefined;
    for (const slot of slotsByWork(ready, { commit, key })) {
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

  /** Asks git and the process table again, then moves the tree. Undefined: this slot is not for us; else notes. */
  async #prepare(slot: Slot, request: ClaimRequest, passedOver: Set<string>): Promise<string[] | undefined> {
    const place = placeAt(slot.path);
    if (!(await isOwn(place))) {
      await this.#forget(slot);
      return undefined;
    }
    try {
      if (processesIn(place.path).length > 0) {
        request.onWait(`slot ${slot.id}: a process still works in it`);
        await this.#soon(slot.repoId, this.#release(slot, request.plan));
        return undefined;
      }
      const lockFile = join(place.gitDirectory, 'index.lock');
      const lock = await lockState(lockFile, this.#options.clock());
      if (lock.kind === 'live' || lock.kind === 'unknown') {
        request.onWait(`slot ${slot.id}: its index is locked by a live process`);
        passedOver.add(slot.id);
        await this.#book.move(slot.id, ['claimed'], { state: 'ready', ...UNHELD });
        return undefined;
      }
      if (lock.kind === 'stale') await moveToTrash(lockFile, place.trash);
      const kept = { caches: request.plan.caches, installed: slot.installedKey !== undefined };
      return await moveTo(place, request.commit, kept, request.repository, request.signal);
    } catch (thrown) {
      if (request.signal.aborted) {
        await this.#soon(slot.repoId, this.#release(slot, request.plan));
        throw new HeadwayError('cancelled', 'cancelled while the slot was prepared');
      }
      // What a fresh slot could not do either is the job's to know, not a fault of this slot.
      if (thrown instanceof HeadwayError && thrown.code === 'unavailable') {
        await this.#soon(slot.repoId, this.#release(slot, request.plan));
        throw new HeadwayError('unavailable', `no slot: ${thrown.message}`, { cause: thrown });
      }
      await this.#quarantine(slot, toError(thrown).message);
      return undefined;
    }
  }

  /** Waits where a slot of ours will be ready and nobody else waits for it; false: there is none. */
  async #awaitComing(request: ClaimRequest): Promise<boolean> {
    const id = request.repository.id;
    const coming = this.#coming.get(id);
    const waiting = this.#waiting.get(id) ?? 0;
    if (!coming || coming.size <= waiting) return false;
    request.onWait('a slot is being made ready');
    this.#waiting.set(id, waiting + 1);
    const gaveUp = abortion(request.signal);
    try {
      await Promise.race([...coming, gaveUp.promise]);
    } finally {
      gaveUp.dispose();
      this.#waiting.set(id, (this.#waiting.get(id) ?? 1) - 1);
    }
    return true;
  }

  async #createClaimed(request: ClaimRequest): Promise<Slot | undefined> {
    request.onWait('no slot is ready: one is being made');
    const slot = await this.#create(request.repository, request.commit, request.holder, request.signal);
    return this.#book.move(slot.id, ['warming'], { state: 'claimed' });
  }

  #create(
    repository: Repository,
    commit: string,
    holder: ClaimRequest['holder'],
    signal?: AbortSignal,
  ): Promise<Slot> {
    return createSlot({
      root: this.#root,
      repository,
      mirror: this.mirror(repository),
      commit,
      runnerId: this.#options.runnerId,
      holder,
      book: this.#book,
      nowMs: this.#options.clock(),
      ...(signal ? { signal } : {}),
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
      const commit = await resetSlot(place, kept, this.#options.clock());
      this.#emptySoon(place.trash);
      return await this.#book.move(slot.id, ['resetting'], {
        state: 'ready',
        commit,
        reason: undefined,
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

  async warm(
    repository: Repository,
    count: number,
    plan: SlotPlan,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<Slot[]> {
    const mirror = this.mirror(repository);
    await mirror.fetch(signal);
    const commit = await mirror.baseCommit(repository.base);
    if (!commit) {
      throw new HeadwayError('not-found', `${repository.path} has no branch ${repository.base}`);
    }
    const mine = await this.#book.list(repository.id);
    const ready = mine.filter((slot) => slot.state === 'ready').slice(0, count);
    const coming = mine.filter((slot) => slot.state === 'warming' || slot.state === 'resetting');
    const missing = Math.max(0, count - ready.length - coming.length);
    const work = [
      ...ready.map((slot) => this.#refresh(slot, repository, commit, plan, signal)),
      ...Array.from({ length: missing }, async () => {
        const slot = await this.#create(repository, commit, {}, signal);
        return this.#equip(slot, repository, plan, signal);
      }),
    ].map((one) => this.#soon(repository.id, one));
    // One failure stops no other slot; the first is told when all have ended.
    const settled = await Promise.allSettled(work);
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return (await this.#book.list(repository.id)).filter((slot) => slot.state === 'ready');
  }

  async #refresh(
    slot: Slot,
    repository: Repository,
    commit: string,
    plan: SlotPlan,
    signal: AbortSignal,
  ): Promise<void> {
    const taken = await this.#book.move(slot.id, ['ready'], {
      state: 'warming',
      runnerId: this.#options.runnerId,
      reason: 'is brought to the base',
    });
    if (!taken) return; // a job was faster
    try {
      await moveTo(
        placeAt(slot.path),
        commit,
        { caches: plan.caches, installed: taken.installedKey !== undefined },
        repository,
        signal,
      );
    } catch (thrown) {
      if (signal.aborted) return this.#release(taken, plan);
      return this.#quarantine(taken, toError(thrown).message);
    }
    const moved = await this.#book.move(slot.id, ['warming'], { commit });
    if (moved) await this.#equip(moved, repository, plan, signal);
  }

  /** Installs into a warming slot and makes it ready; a failed install leaves its reason and the slot usable. */
  async #equip(slot: Slot, repository: Repository, plan: SlotPlan, signal: AbortSignal): Promise<void> {
    const place = placeAt(slot.path);
    let reason: string | undefined;
    try {
      const outcome = await this.#installer.install(
        {
          place,
          commit: slot.commit ?? '',
          installedKey: slot.installedKey,
          mirror: this.mirror(repository),
          plan,
        },
        { output: () => undefined, signal, onWait: () => undefined },
        async (installedKey) => {
          await this.#book.move(slot.id, ['warming'], { installedKey, reason: 'installs' });
        },
      );
      if (outcome.kind === 'failed') reason = `install failed: ${outcome.why}`;
    } catch (thrown) {
      reason = `install failed: ${toError(thrown).message}`;
    }
    const resetting = await this.#book.move(slot.id, ['warming'], { state: 'resetting' });
    if (!resetting || !(await this.#reset(resetting, plan.caches))) return;
    if (reason !== undefined) await this.#book.move(slot.id, ['ready'], { reason });
  }

  async rebuild(slotId: string): Promise<Slot> {
    const slot = await this.#book.get(slotId);
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
      this.#emptySoon(place.trash);
    }
  }

  async remove(slotId: string): Promise<void> {
    const taken = await this.#takeAway(await this.#book.get(slotId), 'is removed');
    try {
      await discardSlot(taken.path);
    } catch (thrown) {
      await this.#quarantine(taken, `can't be removed: ${toError(thrown).message}`);
      throw thrown;
    }
    await this.#book.remove(taken.id);
    this.#emptySoon(placeAt(taken.path).trash);
  }

  async #takeAway(slot: Slot, reason: string): Promise<Slot> {
    const taken = await this.#book.move(slot.id, ['ready', 'quarantined', 'cold'], {
      state: 'warming',
      runnerId: this.#options.runnerId,
      reason,
    });
    if (taken) return taken;
    throw new HeadwayError('not-allowed', `slot ${slot.id} is ${slot.state}: wait until its job has ended`);
  }

  recover(isRunnerAlive: (runnerId: string) => Promise<boolean>): Promise<void> {
    return recoverSlots({
      book: this.#book,
      runnerId: this.#options.runnerId,
      isRunnerAlive,
      nowMs: this.#options.clock(),
      reset: (slot) => this.#reset(slot, []),
      quarantine: (slot, reason) => this.#quarantine(slot, reason),
      forget: (slot) => this.#forget(slot),
      emptyTrash: (trash) => this.#emptySoon(trash),
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#background.size > 0) await Promise.allSettled([...this.#background]);
  }

  #assertOpen(signal: AbortSignal): void {
    if (signal.aborted) throw new HeadwayError('cancelled', 'cancelled while waiting for a slot');
    if (this.#closing.signal.aborted) throw new HeadwayError('unavailable', 'the slot pool is closed');
  }

  /** Marks work that ends with a ready slot, so that a claim waits for it instead of making another. */
  #soon<T>(repoId: string, work: Promise<T>): Promise<T> {
    const coming = this.#coming.get(repoId) ?? new Set();
    this.#coming.set(repoId, coming);
    const entry = work.then(
      () => undefined,
      () => undefined,
    );
    coming.add(entry);
    this.#background.add(entry);
    void entry.then(() => {
      coming.delete(entry);
      this.#background.delete(entry);
    });
    return work;
  }

  #emptySoon(trash: string): void {
    const before = this.#trash.get(trash) ?? Promise.resolve();
    const next = before.then(() => emptyTrash(trash));
    this.#trash.set(trash, next);
    this.#background.add(next);
    void next.finally(() => this.#background.delete(next));
  }
}

/** Settles on the signal; disposing of it lets the signal forget it. */
function abortion(signal: AbortSignal): { promise: Promise<void>; dispose(): void } {
  let stop: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  return { promise, dispose: () => signal.removeEventListener('abort', stop) };
}
