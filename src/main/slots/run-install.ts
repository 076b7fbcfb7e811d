import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { type RunResult, run } from '../processes/run.ts';
import { installFingerprint } from './fingerprint.ts';
import { dropModules, type Installed, writeInstalled } from './installed.ts';
import { installRule, keepRule } from './kept-caches.ts';
import type { SlotPlace } from './layout.ts';
import { slotEnvironment } from './leftovers.ts';
import type { Detection } from './managers.ts';
import type { Mirror } from './mirror.ts';
import { saveProducts } from './products.ts';
import { slotGit, slotList } from './slot-git.ts';
import type { SlotPlan } from './slot-plan.ts';
import { moveToTrash } from './trash.ts';
import { visitUntracked } from './tree.ts';

export type InstallRequest = {
  output(bytes: Uint8Array): void;
  signal: AbortSignal;
  /** Other installs are running; this one waits for its turn. */
  onWait(): void;
};

export type InstallOutcome =
  | { kind: 'unchanged' | 'installed' | 'none'; key?: string }
  | { kind: 'failed'; why: string; exit: number };

export type InstallTarget = {
  place: SlotPlace;
  /** The commit that is checked out and proved. */
  commit: string;
  installedKey: string | undefined;
  mirror: Mirror;
  plan: SlotPlan;
};

export type InstallNeed = {
  key: string;
  detection: Detection;
  setup: string | undefined;
  packages: string[];
};

const INSTALL_TIMEOUT_MS = 30 * 60 * 1000;

/** Quiet and without questions; no hook manager sets itself up in a slot. */
const INSTALL_ENVIRONMENT = {
  CI: '1',
  HUSKY: '0',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  YARN_ENABLE_TELEMETRY: '0',
  // No packages that slots share by links, whatever the repository's settings say.
  YARN_NM_MODE: 'classic',
  npm_config_update_notifier: 'false',
};

/** Runs the install that is needed and tidies up after it. Throws `cancelled` on the signal. */
export async function runInstall(
  target: InstallTarget,
  need: InstallNeed,
  request: InstallRequest,
): Promise<InstallOutcome> {
  const { place, plan } = target;
  const { detection, setup } = need;
  const env = { ...plan.env, ...INSTALL_ENVIRONMENT, ...slotEnvironment(place) };
  const mismatch = setup === undefined ? await wrongVersion(detection, env, place.path) : undefined;
  if (mismatch !== undefined) return { kind: 'failed', why: mismatch, exit: 1 };
  const result = await run({
    command: commandFor(detection, setup),
    cwd: place.path,
    env,
    timeoutMs: INSTALL_TIMEOUT_MS,
    signal: request.signal,
    onOutput: (bytes) => request.output(bytes),
  });
  if (result.status === 'cancelled') throw new HeadwayError('cancelled', 'the install was cancelled');
  if (result.status !== 'exited' || result.exit !== 0) {
    await dropModules(place, need);
    return { kind: 'failed', why: explainFailure(result, detection, setup), exit: result.exit };
  }
  const { places, products } = await tidy(place, plan);
  const complete = await saveProducts(place, products).catch(() => false);
  const installed: Installed = {
    key: need.key,
    fingerprint: await installFingerprint(place.path, need.packages),
    packages: need.packages,
    places,
    products: complete ? products : [],
  };
  // Too much to keep aside: nothing is written down, so the next job installs again and has it all.
  if (complete) await writeInstalled(place, installed, plan.caches);
  return { kind: 'installed', key: need.key };
}

function commandFor(
  detection: Detection,
  setup: string | undefined,
): { file: string; args: readonly string[] } | { shell: string } {
  if (setup !== undefined) return { shell: setup };
  if (detection.kind === 'none') throw new HeadwayError('internal', 'nothing to install');
  // Windows starts `npm.cmd` through its shell only; these words are our own.
  if (process.platform === 'win32') return { shell: [detection.program, ...detection.args].join(' ') };
  return { file: detection.program, args: detection.args };
}

/** A manager of another major version would rewrite the lockfile or install something else. */
async function wrongVersion(
  detection: Detection,
  env: Record<string, string>,
  cwd: string,
): Promise<string | undefined> {
  if (detection.kind === 'none' || !detection.pinned) return undefined;
  const { name, version } = detection.pinned;
  if (name !== detection.program || name === 'npm') return undefined;
  const result = await run({
    command:
      process.platform === 'win32'
        ? { shell: `${detection.program} --version` }
        : { file: detection.program, args: ['--version'] },
    cwd,
    env,
    timeoutMs: 60_000,
  });
  if (result.status === 'not-started' || result.exit !== 0) return undefined; // the install itself will tell
  const found = result.stdout.trim();
  if (Number.parseInt(found, 10) === Number.parseInt(version, 10)) return undefined;
  return `package.json asks for ${name}@${version}, but ${name} ${found} is installed: install that version or enable corepack`;
}

function explainFailure(result: RunResult, detection: Detection, setup: string | undefined): string {
  const command =
    setup ??
    (detection.kind === 'manager' ? [detection.program, ...detection.args.slice(0, 1)].join(' ') : '');
  const text = `${result.stdout}\n${result.stderr}`;
  if (result.status === 'timed-out') return `${command} did not end within 30 minutes`;
  if (result.exit === 127 && detection.kind === 'manager' && setup === undefined) {
    return `${detection.program} was not found: the repository is installed with it${detection.lockfile ? ` (${detection.lockfile})` : ''}; install ${detection.program} or set a setup command in the policy`;
  }
  const outdated =
    /can only install packages when your package\.json and|ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|lockfile would have been (modified|created)|lockfile had changes, but lockfile is frozen/i;
  if (outdated.test(text) && detection.kind === 'manager') {
    return `lockfile out of date: ${detection.lockfile ?? 'the lockfile'} does not fit package.json (${command})`;
  }
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.includes('A complete log of this run'));
  return `${command} ended with exit code ${result.exit}: ${lines.slice(-3).join(' · ').slice(0, 400)}`;
}

/**
 * After an install: its changes to tracked files and to git's settings are undone, untracked files that would get into
 * the job's commit removed. Returns where it put packages, and the ignored things that it made outside the kept caches.
 */
async function tidy(place: SlotPlace, plan: SlotPlan): Promise<{ places: string[]; products: string[] }> {
  const gitConfig = join(place.gitDirectory, 'config');
  await moveToTrash(gitConfig, place.trash);
  await moveToTrash(join(place.gitDirectory, 'hooks'), place.trash);
  await mkdir(dirname(gitConfig), { recursive: true });
  await copyFile(join(place.state, 'config'), gitConfig);
  const rows = await slotList(place, [
    'status',
    '--porcelain',
    '-z',
    '--ignored=matching',
    '--untracked-files=normal',
    '--no-renames',
  ]).catch((thrown: unknown) => {
    throw new HeadwayError('internal', `after the install: ${toError(thrown).message}`, { cause: thrown });
  });
  const rule = installRule(plan.caches);
  const cache = keepRule(plan.caches, []);
  const places: string[] = [];
  const products: string[] = [];
  let changed = false;
  for (const row of rows) {
    const mark = row.slice(0, 2);
    if (mark !== '??' && mark !== '!!') {
      changed = true;
      continue;
    }
    await visitUntracked(place, row.slice(3), rule, {
      kept: (path) => void (cache(path, 'directory') === 'keep' || places.push(path)),
      notKept: async (path) => {
        if (mark === '!!') products.push(path);
        else await moveToTrash(join(place.path, path), place.trash);
      },
    });
  }
  if (changed) await slotGit(place, ['reset', '--quiet', '--hard']);
  return { places, products };
}
