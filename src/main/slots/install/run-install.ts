import { join } from 'node:path';
import { HeadwayError, toError } from '../../../shared/errors.ts';
import { moveToTrash } from '../../disk/trash.ts';
import type { Priority } from '../../limits/limiter.ts';
import type { SlotPlace } from '../../paths/layout.ts';
import type { Environment } from '../../processes/environment.ts';
import { type RunResult, run } from '../../processes/run.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { slotEnvironment } from '../pool/leftovers.ts';
import type { SlotPlan } from '../pool/slot-plan.ts';
import { installRule, keepRule } from '../tree/kept-caches.ts';
import { saveProducts } from '../tree/products.ts';
import { slotGit, slotList } from '../tree/slot-git.ts';
import { visitUntracked } from '../tree/tree.ts';
import { installFingerprint } from './fingerprint.ts';
import { causeOf } from './install-failure.ts';
import { dropModules, type Installed, writeInstalled } from './installed.ts';
import type { Install } from './managers.ts';

export type InstallRequest = {
  output(bytes: Uint8Array): void;
  signal: AbortSignal;
  /** Other installs are running; this one waits for its turn. */
  onWait(): void;
  /** Default: a job's. */
  priority?: Priority;
};

export type InstallOutcome =
  | {
      kind: 'unchanged' | 'installed' | 'none';
      key?: string;
      /** What a person should know of it. */
      notes?: readonly string[];
    }
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
  installs: readonly Install[];
  setup: string | undefined;
  packages: string[];
  /** Variables that the managers' settings name. */
  variables: string[];
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
  redact: (text: string) => string,
): Promise<InstallOutcome> {
  const { place, plan } = target;
  const { setup } = need;
  const env: Environment = { ...plan.env, ...INSTALL_ENVIRONMENT, ...slotEnvironment(place) };
  for (const install of setup === undefined ? need.installs : []) {
    const mismatch = await wrongVersion(install, env, join(place.path, install.directory));
    if (mismatch !== undefined) return { kind: 'failed', why: mismatch, exit: 1 };
  }
  for (const call of setup === undefined ? need.installs : [setup]) {
    const result = await run({
      command: commandFor(call),
      cwd: typeof call === 'string' ? place.path : join(place.path, call.directory),
      env,
      timeoutMs: INSTALL_TIMEOUT_MS,
      signal: request.signal,
      onOutput: (bytes) => request.output(bytes),
    });
    if (result.status === 'cancelled') throw new HeadwayError('cancelled', 'the install was cancelled');
    if (result.status !== 'exited' || result.exit !== 0) {
      await dropModules(place, need);
      const lacking = need.variables.filter((name) => env[name] === undefined);
      const why = `${explainFailure(result, call, redact)}${hintOf(lacking)}`;
      return { kind: 'failed', why, exit: result.exit };
    }
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

/** The usual cause where a registry says no. */
const hintOf = (lacking: readonly string[]): string =>
  lacking.length === 0
    ? ''
    : ` · the package manager's settings name ${lacking.join(', ')}, not set here: name it under passEnv in headway.yaml, and set it where Headway is started`;

function commandFor(call: Install | string): { file: string; args: readonly string[] } | { shell: string } {
  if (typeof call === 'string') return { shell: call };
  // Windows starts `npm.cmd` through its shell only; these words are our own.
  if (process.platform === 'win32') return { shell: [call.program, ...call.args].join(' ') };
  return { file: call.program, args: call.args };
}

/** A manager of another major version would rewrite the lockfile or install something else. */
async function wrongVersion(
  install: Install,
  env: Record<string, string>,
  cwd: string,
): Promise<string | undefined> {
  const { program, pinned } = install;
  if (!pinned) return undefined;
  const { name, version } = pinned;
  if (name !== program || name === 'npm') return undefined;
  const result = await run({
    command:
      process.platform === 'win32'
        ? { shell: `${program} --version` }
        : { file: program, args: ['--version'] },
    cwd,
    env,
    timeoutMs: 60_000,
  });
  if (result.status === 'not-started' || result.exit !== 0) return undefined; // the install itself will tell
  const found = result.stdout.trim();
  if (Number.parseInt(found, 10) === Number.parseInt(version, 10)) return undefined;
  return `${inDirectory(install)}package.json asks for ${name}@${version}, but ${name} ${found} is installed: install that version or enable corepack`;
}

const inDirectory = ({ directory }: Install): string => (directory === '' ? '' : `${directory}/`);

function explainFailure(result: RunResult, call: Install | string, redact: (text: string) => string): string {
  const install = typeof call === 'string' ? undefined : call;
  const place = install && install.directory !== '' ? ` in ${install.directory}` : '';
  const command =
    typeof call === 'string' ? call : `${[call.program, ...call.args.slice(0, 1)].join(' ')}${place}`;
  const text = redact(`${result.stdout}\n${result.stderr}`);
  if (result.status === 'timed-out') return `${command} did not end within 30 minutes`;
  const lockfile = install?.lockfile && `${inDirectory(install)}${install.lockfile}`;
  if (result.exit === 127 && install) {
    return `${install.program} was not found: the repository is installed with it${lockfile ? ` (${lockfile})` : ''}; install ${install.program} or set a setup command in the policy`;
  }
  const outdated =
    /can only install packages when your package\.json and|ERR_PNPM_OUTDATED_LOCKFILE|lockfile needs to be updated|lockfile would have been (modified|created)|lockfile had changes, but lockfile is frozen/i;
  if (outdated.test(text) && install) {
    return `lockfile out of date: ${lockfile ?? 'the lockfile'} does not fit package.json (${command})`;
  }
  return `${command} ended with exit code ${result.exit}: ${causeOf(text)}`;
}

/**
 * After an install: its changes to tracked files are undone (those to git's settings with the first call of git), untracked files that would get into
 * the job's commit removed. Returns where it put packages, and the ignored things that it made outside the kept caches.
 */
async function tidy(place: SlotPlace, plan: SlotPlan): Promise<{ places: string[]; products: string[] }> {
  const rows = await slotList(place, [
    'status',
    '--porcelain',
    '-z',
    '--ignored=matching',
    '--untracked-files=normal',
    '--no-renames',
    '--ignore-submodules=dirty',
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
