import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { findBrowser } from '../scripts/ensure-browser.mjs';
import { formatBytes } from '../src/shared/sizes.ts';
import type { Answer, Command, Mode } from './terminals/server.ts';

/**
 * Programs that flood their terminals beside an idle one whose echo is timed: real ptys, the hub, a WebSocket, xterm.js
 * in Chromium; against naive streaming of the same programs in the same run, round by round in turn. Beside several floods the
 * machine's own floor is shown too: the echo while their output is read and thrown away.
 */
const TARGETS = { throughput: 1.0, echo: 2.5, grownBytes: 20 * 1024 * 1024 };
const MIB = 1024 * 1024;
const IDLE_MS = 2_000;
const ROUNDS = Number(process.argv.find((each) => each.startsWith('--rounds='))?.slice(9) ?? 3);

type Scenario = { name: string; floods: number; bytesEach: number; hidden?: boolean; coloured?: boolean };
const SCENARIOS: readonly Scenario[] = [
  { name: 'one flood', floods: 1, bytesEach: 96 * MIB },
  { name: 'one flood, coloured', floods: 1, bytesEach: 96 * MIB, coloured: true },
  { name: 'three floods, hidden', floods: 3, bytesEach: 32 * MIB, hidden: true },
  { name: '16 sessions, 15 flood', floods: 15, bytesEach: 8 * MIB },
];

const BROWSER_ARGS = [
  '--headless=new',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--window-size=1280,800',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

type Compared = Exclude<Mode, 'thrown away'>;
type Round = { mbPerSecond: number; echoMs: number[]; lostBytes: number; grownBytes: number };

class Server {
  readonly #child: ChildProcess;
  constructor() {
    const file = fileURLToPath(new URL('./terminals/server.ts', import.meta.url));
    this.#child = fork(file, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }
  next<T extends Answer['type']>(type: T): Promise<Extract<Answer, { type: T }>> {
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(new Error('the server of the benchmark ended'));
      this.#child.once('exit', lost);
      const listen = (answer: Answer): void => {
        if (answer.type !== type && answer.type !== 'failed') return;
        this.#child.off('message', listen);
        this.#child.off('exit', lost);
        if (answer.type === 'failed') reject(new Error(`the page failed: ${answer.why}`));
        else resolve(answer as Extract<Answer, { type: T }>);
      };
      this.#child.on('message', listen);
    });
  }
  ask<T extends Answer['type']>(command: Command, type: T): Promise<Extract<Answer, { type: T }>> {
    const answer = this.next(type);
    this.#child.send(command);
    return answer;
  }
  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

async function bundlePage(): Promise<{ script: string; style: string }> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL('./terminals/page.mjs', import.meta.url)),
        formats: ['iife'],
        name: 'bench',
      },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((each) =>
    'output' in each ? each.output : [],
  );
  const script = outputs.find((each) => each.type === 'chunk')?.code ?? '';
  const style = outputs.find((each) => each.type === 'asset' && each.fileName.endsWith('.css'));
  return { script, style: style?.type === 'asset' ? String(style.source) : '' };
}

/** One for each way, so that neither has the other's memory; the page belongs to the first. */
type Servers = Record<Compared, Server> & { naiveOrigin: string };

async function round(servers: Servers, mode: Mode, scenario: Scenario): Promise<Round> {
  const server = mode === 'headway' ? servers.headway : servers.naive;
  const floodBytes = Array.from({ length: scenario.floods }, () => scenario.bytesEach);
  const { floods, idle } = await server.ask(
    { type: 'start', mode, floodBytes, coloured: scenario.coloured ?? false },
    'started',
  );
  const options = {
    mode,
    origin: servers.naiveOrigin,
    floods,
    idle,
    hidden: scenario.hidden ?? false,
    idleMs: IDLE_MS,
  };
  const { result } = await servers.headway.ask({ type: 'show', options }, 'shown');
  const { bytes, grownBytes } = await server.ask({ type: 'stop' }, 'stopped');
  const sent = bytes.reduce((sum, each) => sum + each, 0);
  const lostBytes = bytes.reduce((sum, each, index) => {
    const { bytes: got, passedOver } = result.counts[index] ?? { bytes: 0, passedOver: 0 };
    return sum + Math.abs(each - got - passedOver);
  }, 0);
  return { mbPerSecond: sent / 1e6 / (result.floodMs / 1000), echoMs: result.echoMs, lostBytes, grownBytes };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
const median = (values: readonly number[]): number => percentile(values, 0.5);

function report(name: string, value: string, met: boolean): boolean {
  console.log(`target  ${name}: ${value}  ${met ? 'met' : 'MISSED'}`);
  return met;
}

function line(name: string, mode: Mode, rounds: readonly Round[]): void {
  const echo = rounds.flatMap((each) => each.echoMs);
  const numbers = [
    median(rounds.map((each) => each.mbPerSecond))
      .toFixed(1)
      .padStart(7),
    percentile(echo, 0.5).toFixed(1).padStart(9),
    percentile(echo, 0.95).toFixed(1).padStart(9),
    formatBytes(Math.max(...rounds.map((each) => each.grownBytes))).padStart(11),
    (mode === 'thrown away' ? '–' : String(rounds.reduce((sum, each) => sum + each.lostBytes, 0))).padStart(
      6,
    ),
  ];
  console.log(`${name.padEnd(24)} ${mode.padEnd(11)} ${numbers.join(' ')}`);
}

async function measure(servers: Servers): Promise<boolean> {
  const nothing: Scenario = { name: 'idle', floods: 0, bytesEach: 0 };
  // As many sessions as are ever open, so that what is measured is growth with output, not with the first use.
  const warmUp: Scenario = { name: 'warm-up', floods: 15, bytesEach: 4 * MIB };
  await round(servers, 'headway', warmUp);
  await round(servers, 'naive', warmUp);
  await round(servers, 'headway', warmUp);
  const idle = [await round(servers, 'headway', nothing)];
  const measured = new Map<Scenario, Record<Mode, Round[]>>();
  for (const scenario of SCENARIOS) measured.set(scenario, { headway: [], naive: [], 'thrown away': [] });
  for (let count = 0; count < ROUNDS; count += 1) {
    for (const [scenario, rounds] of measured) {
      // Idle beside each, since the machine is not equally busy all the time; in turn, so that neither way has the quieter half of the run.
      idle.push(await round(servers, 'headway', nothing));
      for (const mode of count % 2 === 0
        ? (['headway', 'naive'] as const)
        : (['naive', 'headway'] as const)) {
        rounds[mode].push(await round(servers, mode, scenario));
      }
      if (scenario.floods > 1) rounds['thrown away'].push(await round(servers, 'thrown away', scenario));
    }
  }
  const idleEcho = idle.flatMap((each) => each.echoMs);
  const idleP95 = percentile(idleEcho, 0.95);
  console.log(
    `\n${'scenario'.padEnd(24)} ${'way'.padEnd(11)}    MB/s  echo p50  echo p95  RSS growth   lost`,
  );
  console.log(
    `${'idle'.padEnd(24)} ${'headway'.padEnd(11)} ${'–'.padStart(7)} ${median(idleEcho).toFixed(1).padStart(9)} ${idleP95.toFixed(1).padStart(9)}`,
  );
  const verdicts: boolean[] = [];
  for (const [scenario, rounds] of measured) {
    line(scenario.name, 'naive', rounds.naive);
    line('', 'headway', rounds.headway);
    if (rounds['thrown away'].length > 0) line('', 'thrown away', rounds['thrown away']);
  }
  console.log('');
  for (const [scenario, rounds] of measured) {
    const of = (mode: Compared): number => median(rounds[mode].map((each) => each.mbPerSecond));
    const throughput = of('headway') / of('naive');
    const echo =
      percentile(
        rounds.headway.flatMap((each) => each.echoMs),
        0.95,
      ) / idleP95;
    const grown = Math.max(...rounds.headway.map((each) => each.grownBytes));
    const lost = rounds.headway.reduce((sum, each) => sum + each.lostBytes, 0);
    verdicts.push(
      report(
        `${scenario.name}: throughput (at least 1.00 of naive)`,
        throughput.toFixed(2),
        throughput >= TARGETS.throughput,
      ),
      report(`${scenario.name}: echo p95 (at most 2.5 of idle)`, echo.toFixed(2), echo <= TARGETS.echo),
      report(
        `${scenario.name}: server memory growth (at most 20 MB)`,
        formatBytes(grown),
        grown <= TARGETS.grownBytes,
      ),
      report(`${scenario.name}: bytes lost (none)`, String(lost), lost === 0),
    );
  }
  return !verdicts.includes(false);
}

/** A browser that nobody looks into, as a person's is. */
async function openBrowser(file: string, url: string): Promise<{ close(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'headway-bench-browser-'));
  const child = spawn(file, [...BROWSER_ARGS, `--user-data-dir=${profile}`, url], { stdio: 'ignore' });
  const ended = once(child, 'close');
  return {
    async close() {
      child.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const executablePath = findBrowser();
if (executablePath === undefined) {
  console.error('No browser of the Chromium family was found; install chromium or set CHROMIUM_PATH.');
  process.exit(2);
}
console.log(`terminals: ${ROUNDS} rounds on ${availableParallelism()} cores`);
const server = new Server();
const naive = new Server();
let browser: Awaited<ReturnType<typeof openBrowser>> | undefined;
try {
  const [{ port }, { port: naivePort }] = await Promise.all([
    server.next('listening'),
    naive.next('listening'),
  ]);
  await server.ask({ type: 'page', ...(await bundlePage()) }, 'taken');
  const ready = server.next('ready');
  browser = await openBrowser(executablePath, `http://127.0.0.1:${port}/`);
  await ready;
  const servers = { headway: server, naive, naiveOrigin: `ws://127.0.0.1:${naivePort}` };
  if (!(await measure(servers))) process.exitCode = 1;
} finally {
  await browser?.close();
  server.close();
  naive.close();
}
