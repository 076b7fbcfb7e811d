import { childEnvironment, type Environment } from '../processes/environment.ts';
import { run } from '../processes/run.ts';

export type ExecResult = { exit: number; stdout: string; stderr: string };

/** Runs a program of the system and waits for it; undefined where it is missing or does not end in time. */
export type Exec = (
  file: string,
  args: readonly string[],
  options?: { env?: Environment; cwd?: string; timeoutMs?: number },
) => Promise<ExecResult | undefined>;

const LIMIT_MS = 15_000;

/** In English where a program knows languages at all; see the parsers, which take other words for unknown. */
export const systemExec: Exec = async (file, args, options = {}) => {
  const result = await run({
    command: /\.(cmd|bat)$/i.test(file) ? { shell: [file, ...args].join(' ') } : { file, args },
    cwd: options.cwd ?? process.cwd(),
    env: childEnvironment({ LC_ALL: 'C', LANGUAGE: 'C', ...options.env }),
    timeoutMs: options.timeoutMs ?? LIMIT_MS,
    // A fix may need sudo, which a user namespace takes away.
    confined: false,
    captureBytes: 1024 * 1024,
  });
  if (result.status !== 'exited' || result.exit === 127) return undefined;
  return { exit: result.exit, stdout: result.stdout, stderr: result.stderr };
};
