import type { Repository, Slot } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { placeAt, type SlotUse, slotUse } from '../../paths/layout.ts';
import type { Installer } from '../install/installer.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { Background } from './background.ts';
import { commitsToCompare, slotsByWork } from './choose-slot.ts';
import { type ClaimedSlot, createClaimedSlot } from './claimed-slot.ts';
import type { SlotLifecycle } from './lifecycle.ts';
import { prepareSlot } from './prepare-slot.ts';
import { type SlotBook, UNHELD } from './slot-book.ts';
import { repositoryNotes } from './slot-notes.ts';
import type { SlotPlan } from './slot-plan.ts';

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

export type ClaimsOptions = {
  book: SlotBook;
  lifecycle: SlotLifecycle;
  installer: Installer;
  background: Background;
  runnerId: string;
  /** Milliseconds since 1970. */
  clock(): number;
  closing: AbortSignal;
  mirror(repository: Repository): Mirror;
  /** A slot of its own for this request, claimed; undefined where it was taken away meanwhile. */
  create(request: ClaimRequest): Promise<Slot | undefined>;
};

/** Claims of one lane wait for each other's slots. */
export const laneOf = (repoId: string, use: SlotUse = 'work'): string => `${repoId} ${use}`;
const laneOfSlot = (slot: Slot): string => laneOf(slot.repoId, slotUse(slot));

/** Hands out slots: the one with the least to do for a commit, prepared and proved; else a new one. */
export class SlotClaims {
  readonly #options: ClaimsOptions;
  readonly #book: SlotBook;
  readonly #notes = new Map<string, Promise<string[]>>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#book = options.book;
  }

  async claim(request: ClaimRequest): Promise<ClaimedSlot> {
    const { repository, commit, signal } = request;
    const mirror = this.#options.mirror(repository);
    await mirror.ensureCommit(commit, signal);
    const passedOver = new Set<string>();
    for (;;) {
      this.#assertOpen(signal);
      const slot =
        (await this.#takeReady(request, passedOver)) ??
        ((await this.#options.background.next(laneOf(repository.id, request.use), signal, () =>
          request.onWait('a slot is being made ready'),
        ))
          ? undefined
          : await this.#options.create(request));
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
        installer: this.#options.installer,
        clock: this.#options.clock,
        closing: this.#options.closing,
        quarantine: (row, reason) => this.#options.lifecycle.quarantine(row, reason),
        release: (row, plan) =>
          this.#options.background.coming(laneOfSlot(row), this.#options.lifecycle.release(row, plan)),
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
      ? await this.#options.installer.keyOf(
          this.#options.mirror(repository),
          commit,
          plan,
          ready[0]?.path ?? '',
        )
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
    const mirror = this.#options.mirror(repository);
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
    if (prepared.kind === 'lost') return this.#options.lifecycle.forget(slot);
    request.onWait(`slot ${slot.id}: ${prepared.why}`);
    if (prepared.kind === 'outdated') {
      await this.#options.lifecycle.discard(slot, ['claimed'], prepared.why);
      return undefined;
    }
    if (prepared.kind === 'locked' || prepared.error) passedOver.add(slot.id);
    if (prepared.kind === 'locked') {
      await this.#book.move(slot.id, ['claimed'], { state: 'ready', ...UNHELD });
      return undefined;
    }
    // The reset decides whether the slot is at fault or the commit: it may go back to where it was proved before.
    await this.#options.background.coming(laneOfSlot(slot), this.#options.lifecycle.release(slot, plan));
    if (signal.aborted) throw new HeadwayError('cancelled', 'cancelled while the slot was prepared');
    if (prepared.error instanceof HeadwayError && prepared.error.code === 'unavailable') {
      throw new HeadwayError('unavailable', `no slot: ${prepared.why}`, { cause: prepared.error });
    }
    return undefined;
  }

  #assertOpen(signal: AbortSignal): void {
    if (signal.aborted) throw new HeadwayError('cancelled', 'cancelled while waiting for a slot');
    if (this.#options.closing.aborted) throw new HeadwayError('unavailable', 'the slot pool is closed');
  }
}
