import { mkdirSync, realpathSync } from 'node:fs';
import type { Repository, Slot } from '../../../shared/domain.ts';
import { noteLeft } from '../../disk/left-in-trash.ts';
import type { LeftInTrash } from '../../disk/trash.ts';
import { layoutOf, type SlotUse, slotUse } from '../../paths/layout.ts';
import type { SlotRecords } from '../../store/store.ts';
import { createInstaller, type Installer } from '../install/installer.ts';
import { createMirror, type Mirror } from '../mirror/mirror.ts';
import { Background } from './background.ts';
import type { ClaimedSlot } from './claimed-slot.ts';
import { type ClaimRequest, laneOf, SlotClaims } from './claims.ts';
import { createSlot } from './create-slot.ts';
import { DiskKeeper } from './disk-keeper.ts';
import { SlotLifecycle } from './lifecycle.ts';
import { recoverSlots } from './recover.ts';
import { createSlotBook, type SlotBook } from './slot-book.ts';
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

export function createSlotPool(options: SlotPoolOptions): SlotPool {
  return new Pool(options);
}

class Pool implements SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #root: string;
  readonly #book: SlotBook;
  readonly #installer: Installer;
  readonly #mirrors = new Map<string, Mirror>();
  readonly #background: Background;
  readonly #closing = new AbortController();
  readonly #disk: DiskKeeper;
  readonly #lifecycle: SlotLifecycle;
  readonly #claims: SlotClaims;

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
      evict: (slot, why) => this.#lifecycle.discard(slot, ['ready'], why),
      onEvicted: (slot, why) => options.onEvicted?.(slot, why),
    });
    const shared = { book: this.#book, runnerId: options.runnerId, clock: options.clock };
    const closing = this.#closing.signal;
    this.#lifecycle = new SlotLifecycle({
      ...shared,
      closing,
      emptyTrash: (trash) => this.#background.empty(trash),
      onReset: () => this.#disk.soon(),
    });
    this.#claims = new SlotClaims({
      ...shared,
      closing,
      lifecycle: this.#lifecycle,
      installer: this.#installer,
      background: this.#background,
      mirror: (repository) => this.mirror(repository),
      create: (request) => this.#createClaimed(request),
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

  claim(request: ClaimRequest): Promise<ClaimedSlot> {
    return this.#claims.claim(request);
  }

  rebuild(slotId: string): Promise<Slot> {
    return this.#lifecycle.rebuild(slotId);
  }

  remove(slotId: string): Promise<void> {
    return this.#lifecycle.remove(slotId);
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
      reset: (slot, caches) => this.#lifecycle.reset(slot, caches),
    });
  }

  async spare(repository: Repository, plan: SlotPlan): Promise<void> {
    const rest = (await this.#book.list(repository.id)).some(
      (slot) => slotUse(slot) === 'gate' && ['ready', 'warming', 'resetting'].includes(slot.state),
    );
    if (!rest) await this.warm(repository, 1, plan, this.#closing.signal, 'gate');
  }

  recover(): Promise<void> {
    return recoverSlots({
      book: this.#book,
      runnerId: this.#options.runnerId,
      isRunnerAlive: this.#options.isRunnerAlive,
      nowMs: this.#options.clock(),
      closing: this.#closing.signal,
      reset: (slot) => this.#lifecycle.reset(slot, []),
      quarantine: (slot, reason) => this.#lifecycle.quarantine(slot, reason),
      forget: (slot) => this.#lifecycle.forget(slot),
      emptyTrash: (trash) => this.#background.empty(trash),
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#disk.close();
    await this.#background.settle();
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
}
