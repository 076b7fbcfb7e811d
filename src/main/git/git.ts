import { devNull } from 'node:os';
import { HeadwayError } from '../../shared/errors.ts';
import { childEnvironment, type Environment } from '../processes/environment.ts';
import { runShort } from '../processes/run.ts';
import { configRemedy } from './config-remedy.ts';
import { namedDirectory } from './named-directory.ts';

export type GitOptions = {
  cwd: string;
  input?: string | Uint8Array;
  /** Added to the clean environment, e.g. an index file of our own. */
  env?: Environment;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Exit codes that are answers, not failures; default [0]. */
  ok?: readonly number[];
  /** Hooks of the repository run (pushes into the user's clone). Default: none does. */
  hooks?: boolean;
};

export type GitOutput = { exit: number; stdout: string; stderr: string };

const GIT_TIMEOUT_MS = 10 * 60 * 1000;

/**
 * No `GIT_*` variable is inherited; nothing prompts; messages are in English; no background maintenance starts that
 * could collect what a slot borrows.
 */
export function gitEnvironment(extra: Environment = {}): Environment {
  return childEnvironment({
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    ...extra,
  });
}

const SAFE_CONFIG = [
  'core.quotePath=false',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'protocol.ext.allow=never',
];

/** Commands that only look: asked again, they give the same answer. */
const LOOKS = new Set(
  'cat-file diff diff-index diff-tree for-each-ref log ls-files ls-tree merge-base rev-list rev-parse show status'.split(
    ' ',
  ),
);

/**
 * Runs git and returns its output; throws `internal` with git's own words where the exit code is not expected, and `busy`
 * where somebody else killed it (memory ran out, a person). What only looks is asked once more then.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<GitOutput> {
  try {
    return await runGit(args, options);
  } catch (thrown) {
    if (!LOOKS.has(commandOf(args)) || !wasKilled(thrown)) throw thrown;
    return runGit(args, options);
  }
}

/** What git is asked for, past the settings that are given along. */
function commandOf(args: readonly string[]): string {
  let at = 0;
  while (args[at] === '-c') at += 2;
  return args[at] ?? '';
}

/** Whether a git was killed by somebody else. */
export const wasKilled = (thrown: unknown): boolean =>
  thrown instanceof HeadwayError && thrown.data?.killed !== undefined;

async function runGit(args: readonly string[], options: GitOptions): Promise<GitOutput> {
  const directory = await namedDirectory(options.cwd);
  const config = [...SAFE_CONFIG, ...(options.hooks ? [] : [`core.hooksPath=${devNull}`])];
  const result = await runShort({
    command: { file: 'git', args: [...config.flatMap((entry) => ['-c', entry]), ...args] },
    cwd: options.cwd,
    env: gitEnvironment({ ...directory, ...options.env }),
    captureBytes: 256 * 1024 * 1024,
    timeoutMs: options.timeoutMs ?? GIT_TIMEOUT_MS,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (result.status === 'cancelled')
    throw new HeadwayError('cancelled', `git ${commandOf(args)} was cancelled`);
  if (result.status === 'timed-out')
    throw new HeadwayError('internal', `git ${commandOf(args)} did not end in time`);
  if (result.status === 'not-started') {
    throw result.exit === 127
      ? new HeadwayError(
          'unavailable',
          `git was not found, or ${options.cwd} is no directory: ${result.error}`,
        )
      : new HeadwayError('internal', `git could not start: ${result.error}`);
  }
  if (result.signal) {
    throw new HeadwayError('busy', `git ${commandOf(args)} was killed (${result.signal})`, {
      data: { retryAfterMs: 1000, killed: result.signal },
    });
  }
  if (!(options.ok ?? [0]).includes(result.exit)) {
    const remedy = configRemedy(result.stderr, options.cwd);
    throw new HeadwayError(
      'internal',
      `git ${commandOf(args)}: ${firstLines(result.stderr || result.stdout)}${remedy === undefined ? '' : `; ${remedy}`}`,
      {
        data: { args: [...args], exit: result.exit, stderr: wholeLines(result.stderr, 4000) },
      },
    );
  }
  return { exit: result.exit, stdout: result.stdout, stderr: result.stderr };
}

/** Never half a line: half of a secret is not known as one. */
const wholeLines = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, text.lastIndexOf('\n', most) + 1);

const firstLines = (text: string): string => text.trim().split('\n').slice(0, 4).join(' · ');

/** One line of output, trimmed. */
export async function gitLine(args: readonly string[], options: GitOptions): Promise<string> {
  return (await git(args, options)).stdout.trim();
}

/** NUL-separated output as a list. */
export async function gitList(args: readonly string[], options: GitOptions): Promise<string[]> {
  return (await git(args, options)).stdout.split('\0').filter((entry) => entry !== '');
}

/** The commit that `revision` names; undefined where it names none. */
export async function resolveCommit(cwd: string, revision: string): Promise<string | undefined> {
  const { exit, stdout } = await git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    {
      cwd,
      ok: [0, 1, 128],
    },
  );
  return exit === 0 ? stdout.trim() : undefined;
}
