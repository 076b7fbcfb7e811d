import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Place } from '../headway.ts';
import { type Driven, driveCommand, driveEngine, type Work } from './driven.ts';
import { type Fault, Faults } from './faults.ts';
import { holdDatabase, holdDiskFull, type Injury, killGits } from './injuries.ts';
import { type KillPoint, nextKill, pick, placeOf, type Random, seededRandom } from './kill-plan.ts';
import { lookAtBase, lookAtLine, movesOf } from './look-at-base.ts';
import { lookAtLeftovers } from './look-at-leftovers.ts';
import { lookAtFile, lookAtStore } from './look-at-store.ts';
import { makeRound, type Round, witnessScript } from './round.ts';

export type CrashTestOptions = {
  kills: number;
  seed: number;
  /** What is done to runs, each as often as any other; default: they are killed. */
  injuries?: readonly Injury[];
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
/** What another process has to take over and finish a round. */
const SUSPENDED_MS = 20_000;
/** Share of the rounds with a second process. */
const WITH_COMPANION = 0.3;
/** Kills of one round; more would only make it longer. */
const KILLS_A_ROUND = 6;

/**
 * Kills or hurts real runs at points that the seed chooses, starts them again with the same command until they are done, and looks
 * after each of them and after each round for what was lost, done twice or left behind. Rounds share one home and repository.
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
        injuries: options.injuries ?? ['killed'],
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

type Tools = {
  random: Random;
  faults: Faults;
  killedAt: Record<string, number>;
  injuries: readonly Injury[];
};

/** Returns how often the round was really injured: one that is done cannot be. */
async function runRound(world: World, round: Round, planned: number, tools: Tools): Promise<number> {
  const { place, repo } = world;
  const { faults, random } = tools;
  const database = join(place.home, 'headway.db');
  const since = place.git(repo, 'rev-parse', 'main');
  const movesBefore = movesOf(place, repo);
  const reported = new Set<string>();
  const work = { repo, folder: place.tickets(round.name, round.tickets), gate: GATE };
  const note = ({ jobs }: { jobs: readonly { job: string; state: string }[] }): void => {
    for (const line of jobs) if (line.state === 'merged') reported.add(line.job);
  };
  // In some rounds a second process does the same all along: it takes over what the killed one leaves.
  const companion = random() < WITH_COMPANION ? driveCommand(place, work) : undefined;
  const hangs = async (left: readonly Driven[]): Promise<number> => {
    faults.add('lost', `round ${round.name} hangs`);
    for (const each of left) each.child.kill('SIGKILL');
    await Promise.all(left.map((each) => each.finished));
    return kills;
  };
  let kills = 0;
  while (kills < planned && companion?.child.exitCode !== 0) {
    const injury = pick(random, tools.injuries);
    const start = injury === 'suspended' ? driveEngine : driveCommand;
    const running = start(place, work);
    const last = lastPlace(running);
    const point = nextKill(random, Object.keys(round.tickets));
    if (!(await reach(running, point))) {
      note(await running.finished);
      break;
    }
    const left = await injure(injury, running, { world, work, random });
    if (left === 'unhurt') {
      note(await running.finished);
      break;
    }
    kills += 1;
    const at = `${injury === 'killed' ? '' : `${injury} `}${last()}`;
    tools.killedAt[at] = (tools.killedAt[at] ?? 0) + 1;
    const finished = await within(ROUND_MS, left);
    if (!finished) return hangs([...left, ...(companion ? [companion] : [])]);
    finished.forEach(note);
    lookAtFile(database, reported, faults);
    lookAtLine(place, repo, since, faults);
  }
  const left = [driveCommand(place, work), ...(companion ? [companion] : [])];
  const finished = await within(ROUND_MS, left);
  if (!finished) return hangs(left);
  finished.forEach(note);
  // What a companion met while git or the disk failed under it may have failed; the last run met nothing.
  const judged = tools.injuries.every((injury) => injury === 'killed') ? finished : finished.slice(0, 1);
  for (const { exit, stderr, error } of judged) {
    const why = error ? `${error.code}: ${error.message}` : stderr;
    if (exit !== 0) faults.add('lost', `round ${round.name} ended with ${exit}: ${why}`);
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

type Finished = Awaited<Driven['finished']>;

/** How all of them ended; undefined where one does not. */
async function within(ms: number, all: readonly Driven[]): Promise<Finished[] | undefined> {
  const hung = new AbortController();
  const finished = await Promise.race([
    Promise.all(all.map((each) => each.finished)),
    delay(ms, undefined, { signal: hung.signal, ref: false }).catch(() => undefined),
  ]);
  hung.abort();
  return finished ?? undefined;
}

/** Returns the runs to wait for; `unhurt` where the run ended before anything could be done to it. */
async function injure(
  injury: Injury,
  running: Driven,
  { world, work, random }: { world: World; work: Work; random: Random },
): Promise<Driven[] | 'unhurt'> {
  const { place } = world;
  const database = join(place.home, 'headway.db');
  switch (injury) {
    case 'killed':
      running.child.kill('SIGKILL');
      await running.finished;
      return running.child.signalCode === 'SIGKILL' ? [running] : 'unhurt';
    case 'git-killed':
      return (await killGits(running, random)) > 0 ? [running] : 'unhurt';
    case 'database-held':
      if (!existsSync(database)) return 'unhurt';
      await holdDatabase(database, random);
      return [running];
    case 'disk-full':
      await holdDiskFull(place.root, random);
      return [running];
    case 'suspended': {
      running.child.kill('SIGSTOP');
      const other = driveEngine(place, work);
      // Suspended in the middle of a change it keeps the database from everybody: then the other one waits for it.
      await within(SUSPENDED_MS, [other]);
      running.child.kill('SIGCONT');
      return [running, other];
    }
    default:
      return injury satisfies never;
  }
}

function lastPlace(running: Driven): () => string {
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
async function reach(running: Driven, point: KillPoint): Promise<boolean> {
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
  return !ended && running.child.exitCode === null;
}
