import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Repository, Slot } from '../../../shared/domain.ts';
import { gitLine } from '../../git/git.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { run } from '../../processes/run.ts';
import type { SlotRecords } from '../../store/store.ts';
import type { ClaimedSlot } from '../pool/claimed-slot.ts';
import { createSlotPool, type SlotPool } from '../pool/pool.ts';
import type { SlotPlan } from '../pool/slot-plan.ts';
import { memorySlotRecords } from './memory-records.ts';

/** A temporary place with real repositories, a pool, and what a job would do in a slot. For tests and benchmarks. */
export interface Workshop extends AsyncDisposable {
  readonly directory: string;
  readonly records: SlotRecords;
  readonly pool: SlotPool;
  readonly plan: SlotPlan;
  /** Every row as it changed, in order. */
  readonly changes: Slot[];
  /** A user's clone with one commit of the files. */
  repository(files: Files, name?: string): Promise<Repository>;
  /** Writes files into a clone and commits them; `undefined` removes one. Returns the commit. */
  commit(repository: Repository, files: Files): Promise<string>;
  claim(repository: Repository, commit?: string, plan?: Partial<SlotPlan>): Promise<ClaimedSlot>;
  slots(): Promise<Slot[]>;
  /** Another pool on the same data, as a process started later would have it; to it all other runners are gone, unless it is told. */
  nextRunner(runnerId: string, isRunnerAlive?: (runnerId: string) => Promise<boolean>): SlotPool;
}

export type Files = Record<string, string | undefined>;

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];

export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    if (text === undefined) await rm(file, { force: true });
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
}

/** Runs a shell script as an agent would, in a directory; throws where it fails. */
export async function agent(cwd: string, script: string): Promise<string> {
  const result = await run({
    command: { file: '/bin/sh', args: ['-eu', '-c', script] },
    cwd,
    env: childEnvironment(),
    ownTree: false,
  });
  if (result.exit !== 0) throw new Error(`agent: ${result.stderr || result.stdout}`);
  return result.stdout;
}

export async function openWorkshop(
  options: { plan?: Partial<SlotPlan>; diskBudgetBytes?: () => number } = {},
): Promise<Workshop> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'headway-slots-')));
  const records = memorySlotRecords();
  const changes: Slot[] = [];
  const plan: SlotPlan = { caches: [], env: childEnvironment(), ...options.plan };
  const pools: SlotPool[] = [];
  const newPool = (
    runnerId: string,
    isRunnerAlive: (runnerId: string) => Promise<boolean> = async () => false,
  ): SlotPool => {
    const pool = createSlotPool({
      root: join(directory, 'data'),
      records,
      runnerId,
      isRunnerAlive,
      clock: Date.now,
      maxInstalls: () => 2,
      ...(options.diskBudgetBytes ? { diskBudgetBytes: options.diskBudgetBytes } : {}),
      onChange: (slot) => changes.push(slot),
      onRemoved: () => undefined,
    });
    pools.push(pool);
    return pool;
  };
  const pool = newPool('runner-1');

  const commit = async (repository: Repository, files: Files): Promise<string> => {
    await writeFiles(repository.path, files);
    const here = { cwd: repository.path };
    await gitLine(['add', '--all'], here);
    await gitLine([...IDENTITY, 'commit', '--quiet', '--allow-empty', '-m', 'change'], here);
    return gitLine(['rev-parse', 'HEAD'], here);
  };

  return {
    directory,
    records,
    pool,
    plan,
    changes,
    commit,
    slots: () => records.list(),
    nextRunner: newPool,
    async repository(files, name = 'repo') {
      const path = join(directory, name);
      await mkdir(path, { recursive: true });
      await gitLine(['init', '--quiet', '--template=', '--initial-branch=main'], { cwd: path });
      const repository: Repository = {
        id: `repo-${name}`,
        path,
        gitDir: join(path, '.git'),
        name,
        base: 'main',
        addedAt: 0,
      };
      await commit(repository, files);
      return repository;
    },
    async claim(repository, at, changed = {}) {
      const wanted = at ?? (await gitLine(['rev-parse', 'HEAD'], { cwd: repository.path }));
      return pool.claim({
        repository,
        commit: wanted,
        plan: { ...plan, ...changed },
        holder: { jobId: 'job-1' },
        signal: AbortSignal.timeout(100_000),
        onWait: () => undefined,
      });
    },
    async [Symbol.asyncDispose]() {
      for (const open of pools) await open.close();
      await agent(directory, 'find . -type d ! -perm -u+rwx -exec chmod u+rwx {} + || true');
      await chmod(directory, 0o700);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
