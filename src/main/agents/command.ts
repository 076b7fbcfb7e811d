import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type UsageLimit, usageLimitIn } from '../limits/usage-limit.ts';
import type { Environment } from '../processes/environment.ts';
import { type RunResult, run } from '../processes/run.ts';
import type { Agent, AgentContext, AgentOutcome } from './agent.ts';
import { PLACEHOLDERS, posixCommandLine, windowsCommandLine } from './command-line.ts';
import { LastLine } from './last-line.ts';

/** Linux refuses a single variable or argument of 128 KiB and more, Windows one of 32 Ki characters. */
const MAX_PROMPT_BYTES = process.platform === 'win32' ? 24 * 1024 : 100 * 1024;
const CAPTURE_BYTES = 4 * 1024;
const COMMAND_NOT_FOUND = 127;

/**
 * Any command line as an agent, run by the platform's shell in the slot. Throws `bad-input` for an unknown placeholder
 * or an open quote, before anything starts.
 */
export function createCommandAgent(commandLine: string): Agent {
  const shell =
    process.platform === 'win32' ? windowsCommandLine(commandLine) : posixCommandLine(commandLine);
  return {
    id: `command: ${commandLine}`,
    async run(context) {
      const lastLine = new LastLine();
      const result = await run({
        command: { shell },
        cwd: context.dir,
        env: { ...context.env, ...(await promptVariables(context)) },
        timeoutMs: context.timeoutMs,
        signal: context.signal,
        captureBytes: CAPTURE_BYTES,
        onStart: () => context.began?.(),
        onOutput: (bytes) => {
          lastLine.push(bytes);
          context.output(bytes);
        },
      });
      const outcome = commandOutcome(result, lastLine.text(context.redact));
      return withLimit(outcome, usageLimitIn(lastLine.tail(context.redact), Date.now()));
    },
  };
}

async function promptVariables(context: AgentContext): Promise<Environment> {
  const promptFile = join(context.tempDir, 'prompt.md');
  await writeFile(promptFile, context.prompt, { mode: 0o600 });
  // A NUL can't stand in a variable; in a ticket it means nothing.
  const prompt = context.prompt.replaceAll('\0', '');
  return {
    [PLACEHOLDERS.ticket]: context.ticket.id,
    [PLACEHOLDERS.promptFile]: promptFile,
    [PLACEHOLDERS.dir]: context.dir,
    [PLACEHOLDERS.prompt]:
      Buffer.byteLength(prompt) <= MAX_PROMPT_BYTES
        ? prompt
        : `Read the file ${promptFile} and do what it says; it holds the whole task.`,
  };
}

/** Pure: a program that failed with words of a usage limit was refused; one that ended well may have been. */
function withLimit(outcome: AgentOutcome, limit: UsageLimit | undefined): AgentOutcome {
  if (!limit) return outcome;
  if (outcome.kind === 'finished') return { ...outcome, limit };
  return outcome.kind === 'failed' ? { kind: 'limited', limit } : outcome;
}

/** Pure: what the end of a program means for its agent. */
export function commandOutcome(
  result: Pick<RunResult, 'status' | 'exit' | 'signal' | 'error'>,
  lastLine: string | undefined,
): AgentOutcome {
  switch (result.status) {
    case 'timed-out':
      return { kind: 'timed-out' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'not-started':
      return { kind: 'failed', why: `could not start: ${result.error ?? 'unknown'}`, exit: result.exit };
    case 'exited': {
      if (result.exit === 0) return { kind: 'finished' };
      const end = result.signal ? `ended by ${result.signal}` : `exit ${result.exit}`;
      if (result.exit === COMMAND_NOT_FOUND && lastLine) {
        return { kind: 'missing', hint: `the shell says: ${lastLine}` };
      }
      return {
        kind: 'failed',
        why: lastLine ? `${end}: ${lastLine}` : `${end}, no output`,
        exit: result.exit,
      };
    }
    default:
      return result.status satisfies never;
  }
}
