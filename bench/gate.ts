import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Engine, openEngine } from '../src/main/engine/engine.ts';
import { gateProve } from '../src/main/gate-runs/gate-prove.ts';
import { gateRun } from '../src/main/gate-runs/gate-run.ts';
import { type Home, resolveHome } from '../src/main/settings/home.ts';
import { openSqliteStore } from '../src/main/store/sqlite/sqlite-store.ts';
import type { GateResult, Repository } from '../src/shared/domain.ts';
import { type ZodRepository, zodRepository } from './gate/zod-repository.ts';
import { median, verdict } from './support/figures.ts';

/*
 * The gate of a real repository (the sources and tests of zod: eslint, tsc, vitest) in a warm slot with its packages
 * installed: with kept caches of its steps against without, side by side against one after another, the gate of a merged
 * tree against that before the merge, and a proof against one gate. Rounds are interleaved; each follows a change of a source.
 */

const ROUNDS = Number(process.argv[2] ?? 2);
const WARM_MAX = 0.9;
const BESIDE_MAX = 1;
const AGAIN_MAX = 0.2;
/** A proof tries each break alone only where it must: this share of as many gates as there are breaks. */
const PROOF_MAX = 0.5;

const headway = join(import.meta.dirname, '..', 'src', 'main', 'hosts', 'cli', 'main.ts');
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function timedGate(
  engine: Engine,
  repository: Repository,
): Promise<{ ms: number; result: GateResult }> {
  const startedMs = performance.now();
  const result = await gateRun(engine.parts.jobPorts, {
    repository,
    trust: true,
    signal: AbortSignal.timeout(1_800_000),
  });
  if (result.verdict !== 'green')
    throw new Error(`the gate is ${result.verdict}: ${result.reason}\n${result.steps.at(-1)?.tail}`);
  return { ms: performance.now() - startedMs, result };
}

function dropCaches(home: Home): void {
  for (const repository of readdirSync(home.slots)) {
    const states = join(home.slots, repository, '.state');
    for (const slot of readdirSync(states))
      rmSync(join(states, slot, 'step-caches'), { recursive: true, force: true });
  }
}

type Gates = { cold: number[]; warm: number[]; inTurn: number[] };

async function measureGates(engine: Engine, repository: Repository, repo: ZodRepository): Promise<Gates> {
  const gates: Gates = { cold: [], warm: [], inTurn: [] };
  const { settings } = engine.parts;
  const { maxGateSteps } = settings.get();
  await timedGate(engine, repository); // makes the slot and installs
  for (let round = 0; round < ROUNDS; round += 1) {
    dropCaches(engine.home);
    repo.changeSource();
    gates.cold.push((await timedGate(engine, repository)).ms);
    // A compiler knows a file's signature only once it has changed: until then all that uses it is checked again.
    repo.changeSource();
    await timedGate(engine, repository);
    repo.changeSource();
    const { ms, result } = await timedGate(engine, repository);
    gates.warm.push(ms);
    await settings.set({ maxGateSteps: 1 });
    repo.changeSource();
    gates.inTurn.push((await timedGate(engine, repository)).ms);
    await settings.set({ maxGateSteps });
    const steps = result.steps.map((step) => `${step.name} ${seconds(step.ms)} (${step.reason})`);
    console.log(`round ${round + 1}: ${steps.join(', ')}`);
  }
  return gates;
}

/** A job whose base moves while its gate runs, by what no step reads: how long each of its two gates took. */
async function measureAgain(
  home: Home,
  repo: ZodRepository,
  root: string,
): Promise<{ first: number; again: number; words: string }> {
  const tickets = join(root, 'tickets');
  mkdirSync(tickets);
  writeFileSync(
    join(tickets, 'a.md'),
    '---\nid: A\npaths: [src/v4/locales/en.ts]\nagent: scripted\n---\nSay it.\n\n```headway\n- append: { path: src/v4/locales/en.ts, content: "// said\\n" }\n```\n',
  );
  const child = spawn(
    process.execPath,
    ['--no-warnings', headway, 'run', '--repo', repo.path, '--tickets', tickets, '--trust', '--json'],
    { env: { ...process.env, HEADWAY_HOME: home.root }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let moved = false;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as { stage?: string };
    if (moved || line.stage !== 'gate') return;
    moved = true;
    repo.changeDocs();
  });
  const [exit] = (await once(child, 'close')) as [number];
  if (exit !== 0) throw new Error(`headway run ended with ${exit}`);
  await using store = openSqliteStore(home.database);
  const [job] = await store.jobs.changedSince(0);
  const [attempt] = job ? await store.jobs.attempts(job.id) : [];
  const spans = attempt?.stages.filter(({ stage }) => stage === 'gate') ?? [];
  const [first = Number.NaN, again = Number.NaN] = spans.map(({ ms = Number.NaN }) => ms);
  return { first, again, words: attempt?.gates.at(-1)?.reason ?? '' };
}

async function reportGates(home: Home, repo: ZodRepository): Promise<number> {
  const engine = await openEngine({ home });
  const repository = await engine.parts.repositories.add(repo.path);
  const gates = await measureGates(engine, repository, repo);
  await engine.stop();
  const [cold, warm, inTurn] = [median(gates.cold), median(gates.warm), median(gates.inTurn)];
  console.log(`gate without caches          ${seconds(cold)}`);
  console.log(`gate with caches             ${seconds(warm)}   ${(warm / cold).toFixed(2)} of it`);
  console.log(
    `the same, one step at a time ${seconds(inTurn)}   side by side is ${(warm / inTurn).toFixed(2)} of it`,
  );
  verdict(`with caches <= ${WARM_MAX} of without`, warm / cold <= WARM_MAX);
  verdict(`side by side <= ${BESIDE_MAX} of one at a time`, warm / inTurn <= BESIDE_MAX);
  return warm;
}

async function reportAgain(home: Home, repo: ZodRepository, root: string): Promise<void> {
  const { first, again, words } = await measureAgain(home, repo, root);
  console.log(`gate of a job                ${seconds(first)}`);
  console.log(
    `again after a merge          ${seconds(again)}   ${(again / first).toFixed(2)} of it: ${words}`,
  );
  verdict(`again after a merge <= ${AGAIN_MAX} of the first`, again / first <= AGAIN_MAX);
}

async function reportProof(home: Home, repo: ZodRepository, gateMs: number): Promise<void> {
  const engine = await openEngine({ home });
  const repository = await engine.parts.repositories.add(repo.path);
  const proof = await gateProve(engine.parts.jobPorts, {
    repository,
    trust: true,
    signal: AbortSignal.timeout(3_600_000),
  });
  await engine.stop();
  const breaks = proof.cells.filter(({ result }) => result !== 'not-applicable').length;
  console.log(
    `proof                        ${seconds(proof.ms)}   ${(proof.ms / gateMs).toFixed(1)} gates for ${breaks} breaks in ${proof.gateRuns} runs: ${proof.reason}`,
  );
  verdict(`proof <= ${PROOF_MAX} of a gate for each break`, proof.ms / (breaks * gateMs) <= PROOF_MAX);
}

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'headway-bench-gate-'));
  const home = resolveHome({ HEADWAY_HOME: join(root, 'home') });
  const repo = zodRepository(join(root, 'zod'));
  try {
    const warm = await reportGates(home, repo);
    await reportAgain(home, repo, root);
    await reportProof(home, repo, warm);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

await run();
