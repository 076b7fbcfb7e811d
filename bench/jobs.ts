import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, verdict } from './support/figures.ts';

/**
 * Four disjoint tickets at four at once against one at a time, with agents that wait on a model (a pause), in warm
 * slots: how much of the waiting really overlaps.
 */
const ROUNDS = 2;
const TARGET = 3.5;
const MODEL_WAIT_MS = 20_000;
const TICKETS = 4;
const headway = join(import.meta.dirname, '..', 'bin', 'headway.mjs');

function repository(root: string): string {
  const repo = join(root, 'repo');
  mkdirSync(join(repo, 'src'), { recursive: true });
  for (let index = 0; index < TICKETS; index += 1) writeFileSync(join(repo, 'src', `f${index}.txt`), 'x\n');
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-C', repo, ...args], { stdio: 'ignore' });
  git('init', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.invalid');
  git('add', '-A');
  git('commit', '-m', 'base');
  return repo;
}

function tickets(root: string, round: string): string {
  const dir = join(root, `tickets-${round}`);
  mkdirSync(dir);
  for (let index = 0; index < TICKETS; index += 1) {
    const path = `src/f${index}.txt`;
    writeFileSync(
      join(dir, `${index}.md`),
      `---\nid: T${index}-${round}\npaths: [${path}]\nagent: scripted\n---\nRound ${round}.\n\n\`\`\`headway\n- pause: ${MODEL_WAIT_MS}ms\n- append: { path: ${path}, content: "${round}\\n" }\n\`\`\`\n`,
    );
  }
  return dir;
}

async function command(home: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [headway, ...args, '--json'], {
    env: { ...process.env, HEADWAY_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString('utf8');
  });
  const [exit] = (await once(child, 'close')) as [number];
  if (exit !== 0) throw new Error(`headway ${args[0]} ended with ${exit}:\n${output}`);
  return output;
}

async function runMs(home: string, repo: string, dir: string, max: number): Promise<number> {
  const startedMs = performance.now();
  await command(
    home,
    'run',
    '--repo',
    repo,
    '--tickets',
    dir,
    '--max',
    String(max),
    '--gate',
    'git diff --check HEAD~1',
  );
  return performance.now() - startedMs;
}

async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'headway-bench-jobs-'));
  const home = join(root, 'home');
  const one: number[] = [];
  const four: number[] = [];
  try {
    const repo = repository(root);
    await command(home, 'slots', 'warm', '--repo', repo, '--count', String(TICKETS));
    for (let round = 0; round < ROUNDS; round += 1) {
      four.push(await runMs(home, repo, tickets(root, `four-${round}`), TICKETS));
      one.push(await runMs(home, repo, tickets(root, `one-${round}`), 1));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const speedUp = median(one) / median(four);
  console.log(`${TICKETS} tickets, agents that wait ${MODEL_WAIT_MS / 1000} s on a model`);
  console.log(`one at a time   ${(median(one) / 1000).toFixed(1)} s`);
  console.log(`four at once    ${(median(four) / 1000).toFixed(1)} s   ${speedUp.toFixed(2)} x faster`);
  verdict(`four at once >= ${TARGET} x faster`, speedUp >= TARGET);
}

await run();
