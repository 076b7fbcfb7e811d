import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agent, openWorkshop, type Workshop } from '../src/main/slots/testing/workshop.ts';
import type { Repository } from '../src/shared/domain.ts';

/*
 * Hand-out of a warm slot against bare git in the same run, and against a cold start. Both sides begin with the same
 * mess: 20 edited and 200 untracked files, and move to the other of two commits. Rounds are interleaved.
 *
 * The whole cycle holds the reset, too, after which every file of every package is known to be as it was installed. Its floor is
 * bare git and a bare `find` over the packages: nobody waits for it but the next job of a pool without another ready slot.
 */

const ROUNDS = 21;
const COLD_ROUNDS = 2;
const FILES = 800;
const CHANGED = 140;
const WARM_MAX = 2;
const COLD_MAX = 1 / 50;

const execute = promisify(execFile);
const bare = (cwd: string, ...args: string[]): Promise<unknown> => execute('git', args, { cwd });

const file = (index: number): string => `src/part-${index % 40}/module-${index}.ts`;
const text = (index: number, version: number): string =>
  `${`export const value${index} = ${version};\n`.repeat(40)}`;

async function timed(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

async function makeMess(path: string): Promise<void> {
  for (let index = 0; index < 20; index += 1) await appendFile(join(path, file(index * 7)), '// edited\n');
  await mkdir(join(path, 'scratch', 'deep'), { recursive: true });
  for (let index = 0; index < 200; index += 1) {
    const directory = index % 2 === 0 ? 'scratch/deep' : `src/part-${index % 40}`;
    await writeFile(join(path, directory, `left-${index}.txt`), 'left over\n');
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const range = (values: readonly number[]): string =>
  `${median(values).toFixed(1)} ms (${Math.min(...values).toFixed(1)}..${Math.max(...values).toFixed(1)})`;

async function prepare(shop: Workshop): Promise<{ repository: Repository; commits: [string, string] }> {
  const files: Record<string, string> = {
    '.gitignore': 'node_modules/\n',
    // The packages alone are measured, not what their scripts download or compile.
    '.npmrc': 'ignore-scripts=true\n',
    'README.md': 'A generated repository\n',
  };
  for (let index = 0; index < FILES; index += 1) files[file(index)] = text(index, 1);
  const repository = await shop.repository(files);
  for (const name of ['package.json', 'package-lock.json']) {
    await copyFile(join(import.meta.dirname, '..', name), join(repository.path, name));
  }
  const first = await shop.commit(repository, {});
  const changes: Record<string, string> = {};
  for (let index = 0; index < CHANGED; index += 1) changes[file(index * 5)] = text(index * 5, 2);
  return { repository, commits: [first, await shop.commit(repository, changes)] };
}

async function measureCold(repository: Repository, commit: string, directory: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    const path = join(directory, `cold-${round}`);
    times.push(
      await timed(async () => {
        await bare(repository.path, 'worktree', 'add', '--detach', path, commit);
        await execute('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
          cwd: path,
          maxBuffer: 1 << 26,
        });
      }),
    );
  }
  return times;
}

function verdict(name: string, value: number, limit: number): boolean {
  const met = value <= limit;
  console.log(`target ${name} at most ${limit}: ${value.toFixed(3)} ${met ? 'met' : 'MISSED'}`);
  return met;
}

async function main(): Promise<boolean> {
  await using shop = await openWorkshop();
  const { repository, commits } = await prepare(shop);
  const cold = await measureCold(repository, commits[0], shop.directory);
  const floorPath = join(shop.directory, 'cold-0');
  const packages = (
    await agent(floorPath, "find node_modules -name package.json -path '*node_modules/*' | wc -l")
  ).trim();
  const [slot] = await shop.pool.warm(repository, 1, shop.plan);
  if (slot?.installedKey === undefined) throw new Error(`the slot is not warm: ${slot?.reason}`);

  const stamp = join(floorPath, 'node_modules', '.package-lock.json');
  const floor: number[] = [];
  const proof: number[] = [];
  const whole: number[] = [];
  const handOut: number[] = [];
  const reset: number[] = [];
  let held = await shop.claim(repository, commits[1]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const commit = commits[round % 2] ?? commits[0];
    await makeMess(floorPath);
    floor.push(
      await timed(async () => {
        await bare(floorPath, 'checkout', '--quiet', '--detach', '--force', commit);
        await bare(floorPath, 'clean', '-ffdxq', '-e', 'node_modules');
      }),
    );
    proof.push(
      await timed(() => execute('find', ['node_modules', '-cnewer', stamp, '-print0'], { cwd: floorPath })),
    );
    await makeMess(held.path);
    const resetMs = await timed(() => held[Symbol.asyncDispose]());
    const handOutMs = await timed(async () => {
      held = await shop.claim(repository, commit);
      await held.checkout(commit, `headway/job-${round}`);
      const outcome = await held.install({
        output: () => undefined,
        signal: AbortSignal.timeout(600_000),
        onWait: () => undefined,
      });
      if (outcome.kind !== 'unchanged')
        throw new Error(`expected a warm slot, got ${JSON.stringify(outcome)}`);
    });
    reset.push(resetMs);
    handOut.push(handOutMs);
    whole.push(resetMs + handOutMs);
  }
  if ((await shop.slots()).length !== 1) throw new Error('the rounds did not reuse one slot');

  console.log(
    `${FILES} files, ${CHANGED} changed between the commits, ${packages} package manifests installed`,
  );
  console.log(`bare git checkout + git clean   ${range(floor)}`);
  console.log(`bare find over the packages     ${range(proof)}`);
  console.log(`warm slot, whole cycle          ${range(whole)}`);
  console.log(`  hand-out (claim, checkout, dependency check)  ${range(handOut)}`);
  console.log(`  reset after the job                           ${range(reset)}`);
  console.log(`cold: git worktree add + npm ci ${range(cold)}`);
  const results = [
    // Each round against the bare git of the same moment, so that other load falls on both.
    verdict(
      'hand-out / bare git',
      median(handOut.map((value, round) => value / (floor[round] ?? 0))),
      WARM_MAX,
    ),
    verdict(
      'warm cycle / bare git and find',
      median(whole.map((value, round) => value / ((floor[round] ?? 0) + (proof[round] ?? 0)))),
      WARM_MAX,
    ),
    verdict('warm cycle / cold start', median(whole) / median(cold), COLD_MAX),
  ];
  await held[Symbol.asyncDispose]();
  return results.every(Boolean);
}

process.exitCode = (await main()) ? 0 : 1;
