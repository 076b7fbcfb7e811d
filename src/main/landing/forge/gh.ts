import { HeadwayError } from '../../../shared/errors.ts';
import { CALL_TIMEOUT_MS, type CallLimiter } from '../../limits/call-limiter.ts';
import { retryHint } from '../../limits/retry-hint.ts';
import type { Environment } from '../../processes/environment.ts';
import { findProgram } from '../../processes/find-program.ts';
import { run } from '../../processes/run.ts';
import { forgeEnvironment, forgeWords } from './forge-environment.ts';

const FIRST_BACKOFF_MS = 1_000;
/** What the service asks for beyond this is not waited for inside an attempt. */
const LONGEST_WAIT_MS = 15 * 60_000;

export type ForgeCalls = {
  limiter: CallLimiter;
  cwd: string;
  signal: AbortSignal;
  /** Marks the processes of the calls, so that what a killed Headway left of them is found. */
  marks?: Environment;
  /** The service asks to wait this long. */
  onWait?: (waitMs: number, why: string) => void;
  now?: () => number;
};

/** How one call ended: its output, or the words with which it failed. */
export type ForgeAnswer = { ok: true; stdout: string } | { ok: false; why: string; limited: boolean };

export const MOST_TRIES = 5;

/**
 * One call, made again where the service refused it for its limit. What changes something takes one try and looks what
 * became of it before the next: a pause holds for that look too.
 */
export async function limited(
  calls: ForgeCalls,
  call: () => Promise<{ exit: number; stdout: string; output: string }>,
  tries = MOST_TRIES,
): Promise<ForgeAnswer> {
  const now = calls.now ?? Date.now;
  const parked = (waitMs: number): ForgeAnswer => ({
    ok: false,
    why: `the service asks to wait until ${new Date(now() + waitMs).toISOString()}`,
    limited: false,
  });
  for (let refusals = 0; ; refusals += 1) {
    const pausedMs = await calls.limiter.pausedMs(calls.signal);
    if (pausedMs > LONGEST_WAIT_MS) return parked(pausedMs);
    if (pausedMs > 0 && refusals === 0) calls.onWait?.(pausedMs, 'the service asked to wait');
    const { exit, stdout, output } = await calls.limiter.run(call, calls.signal);
    if (exit === 0) return { ok: true, stdout };
    calls.signal.throwIfAborted();
    const hint = retryHint(output, now());
    const why = forgeWords(output) || `it ended with exit code ${exit}`;
    if (hint === undefined) return { ok: false, why, limited: false };
    const waitMs =
      hint === 'backoff' ? FIRST_BACKOFF_MS * 2 ** refusals * (0.75 + Math.random() / 2) : hint.waitMs;
    await calls.limiter.pause(waitMs, calls.signal);
    if (waitMs > LONGEST_WAIT_MS) return parked(waitMs);
    calls.onWait?.(waitMs, why);
    if (refusals + 1 >= tries) return { ok: false, why, limited: true };
  }
}

/** Runs the user's own `gh`. Throws `unavailable` where there is none. */
export async function gh(
  args: readonly string[],
  calls: ForgeCalls,
  change?: { input: string },
): Promise<ForgeAnswer> {
  const env = forgeEnvironment(calls.marks);
  const file = await findProgram('gh', env);
  if (file === undefined) {
    throw new HeadwayError(
      'unavailable',
      'gh is not on the PATH: install the GitHub CLI and log in with `gh auth login`, or set merge.style to merge',
    );
  }
  const call = async () => {
    const result = await run({
      command: { file, args },
      cwd: calls.cwd,
      env,
      timeoutMs: CALL_TIMEOUT_MS,
      confined: false,
      signal: calls.signal,
      ...(change ?? {}),
    });
    const exit = result.status === 'exited' ? result.exit : 127;
    const words = result.status === 'timed-out' ? 'gh did not end in time' : (result.error ?? '');
    return { exit, stdout: result.stdout, output: [result.stderr, result.stdout, words].join('\n').trim() };
  };
  return limited(calls, call, change ? 1 : MOST_TRIES);
}
