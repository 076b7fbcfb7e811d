import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Place, type Running } from '../headway.ts';
import { type Fault, Faults } from './faults.ts';
import { type KillPoint, nextKill, placeOf, type Random, seededRandom } from './kill-plan.ts';
import { lookAtBase, lookAtLine, movesOf } from './look-at-base.ts';
import { lookAtLeftovers } from './look-at-leftovers.ts';
import { lookAtFile, lookAtStore } from './look-at-store.ts';
import { makeRound, type Round, witnessScript } from './round.ts';

export type CrashTestOptions = {
  kills: number;
  seed: number;
  onFault?: (fault: Fault) => void;
  onRound?: (said: string) => void;
};

export type CrashTestResult = {
  kills: number;
  rounds: number;
  faults: readonly Fault[];
  /** How often each place was the last thing said before a kill. */
  killedAt: Record<string, number>;
};

const GATE = 'test ! -e BROKEN';
/** A round that takes longer than this hangs. */
const ROUND_MS = 180_000;
/** Share of the rounds with a second process. */
const WITH_COMPANION = 0.3;
/** Kills of one round; more would only make it longer. */
const KILLS_A_ROUND = 6;

/**
 * Kills real runs at points that the seed chooses, starts them again with the same command until they are done, and looks
 * after each kill and after each round for what was lost, done twice or left behind. Rounds share one home and repository.
 */
export async function crashTest(options: CrashTestOptions): Promise<CrashTestResult> {
  const random = seededRandom(options.seed);
  const faults = new Faults(options.onFault);
  const killedAt: Record<string, number> = {};
  const place = new Place();
  let kills = 0;
  let rounds = 0;
  try {
    const world = makeWorld(place);
    while (kills < options.kills) {
      rounds += 1;
      const planned = Math.min(options.kills - kills, 1 + Math.floor(random() * KILLS_A_ROUND));
      const startedMs = performance.now();
      const done = await runRound(world, makeRound(rounds, world.witness, pauses(random)), planned, {
        random,
        faults,
        killedAt,
      });
      kills += done;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      options.onRound?.(`round ${rounds}: ${done} kills, ${seconds} s; ${kills} of ${options.kills}`);
    }
  } finally {
    await place.close();
  }
  return { kills, rounds, faults: faults.list, killedAt };
}

const pauses = (random: Random): number[] => Array.from({ length: 7 }, () => Math.floor(random() * 300));

type World = { place: Place; repo: string; marks: string; witness: string };

function makeWorld(place: Place): World {
  const repo = place.repository('repo', { 'README.md': 'readme\n' });
  place.git(repo, 'config', 'core.logAllRefUpdates', 'true');
  const marks = join(place.root, 'marks');
  mkdirSync(marks);
  mkdirSync(join(place.root, 'tmp'));
  place.env.TMPDIR = join(place.root, 'tmp');
  return { place, repo, marks, witness: place.write('witness.sh', witnessScript(marks)) };
}

type Tools = { random: Random; faults: Faults; killedAt: Record<string, number> };

/** Returns how often the round was really killed: one that is done cannot be. */
async function runRound(world: World, round: Round, planned: number, tools: Tools): Promise<number> {
  const { place, repo } = world;
  const { faults } = tools;
  const database = join(place.home, 'headway.db');
  const since = place.git(repo, 'rev-parse', 'main');
  const movesBefore = movesOf(place, repo);
  const reported = new Set<string>();
  const folder = place.tickets(round.name, round.tickets);
  const start = (): Running =>
    place.start('run', '--repo', repo, '--tickets', folder, '--gate', GATE, '--max', '4');
  const watch = async (running: Running): Promise<void> => {
    const { jobs } = await running.finished;
    for (const line of jobs) if (line.state === 'merged') reported.add(line.job);
  };
  // In some rounds a second process does the same all along: it takes over what the killed one leaves.
  const companion = tools.random() < WITH_COMPANION ? start() : undefined;
  let kills = 0;
  for (; kills < planned && companion?.child.exitCode !== 0; kills += 1) {
    const running = start();
    const last = lastPlace(running);
    const killed = await killAt(running, nextKill(tools.random, Object.keys(round.tickets)));
    await watch(running);
    if (!killed) break;
    tools.killedAt[last()] = (tools.killedAt[last()] ?? 0) + 1;
    lookAtFile(database, reported, faults);
    lookAtLine(place, repo, since, faults);
  }
  const running = start();
  const hung = new AbortController();
  const last = [running, ...(companion ? [companion] : [])];
  const finished = await Promise.race([
    Promise.all(last.map((each) => each.finished)),
    delay(ROUND_MS, undefined, { signal: hung.signal, ref: false }).catch(() => undefined),
  ]);
  hung.abort();
  if (!finished) {
    faults.add('lost', `round ${round.name} hangs`);
    for (const each of last) each.child.kill('SIGKILL');
    await Promise.all(last.map((each) => each.finished));
    return kills;
  }
  for (const { exit, stderr, jobs } of finished) {
    for (const line of jobs) if (line.state === 'merged') reported.add(line.job);
    if (exit !== 0) faults.add('lost', `round ${round.name} ended with ${exit}: ${stderr}`);
    if (stderr !== '') faults.add('left behind', `a run that ended well complained: ${stderr.trim()}`);
  }
  lookAtFile(database, reported, faults);
  const jobs = lookAtStore(database, Object.keys(round.tickets), faults);
  lookAtBase(place, repo, { ...round, movesBefore }, jobs, since, faults);
  lookAtLeftovers(place.root, place.home, repo, faults);
  const twice = join(world.marks, 'twice.log');
  if (existsSync(twice)) {
    for (const line of readFileSync(twice, 'utf8').trim().split('\n')) faults.add('twice', line);
    rmSync(twice);
  }
  return kills;
}

function lastPlace(running: Running): () => string {
  let last = 'start';
  void running
    .line((line) => {
      const at = placeOf(line);
      if (at) last = at.where;
      return false;
    })
    .catch(() => undefined); // it was killed: that is the plan
  return () => last;
}

/** False where the run ended before its point came. */
async function killAt(running: Running, point: KillPoint): Promise<boolean> {
  let ended = false;
  const finished = running.finished.then(() => {
    ended = true;
  });
  const { on } = point;
  if (on) {
    const said = running.line((line) => {
      const at = placeOf(line);
      return at?.ticket === on.ticket && at.where === on.where;
    });
    await said.catch(() => undefined); // it ended without saying so
  }
  const waiting = new AbortController();
  await Promise.race([
    finished,
    delay(point.afterMs, undefined, { signal: waiting.signal }).catch(() => undefined),
  ]);
  waiting.abort();
  if (ended || running.child.exitCode !== null) return false;
  running.child.kill('SIGKILL');
  await finished;
  return running.child.signalCode === 'SIGKILL';
}
