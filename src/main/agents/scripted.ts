import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { git } from '../git/git.ts';
import { run } from '../processes/run.ts';
import type { Agent, AgentContext, AgentOutcome } from './agent.ts';
import { commandOutcome } from './command.ts';
import { confinedPath } from './confined-path.ts';
import { LastLine } from './last-line.ts';
import { createNarration, type Narration, shorten } from './narration.ts';
import { parseScript, type Step } from './script.ts';

const CAPTURE_BYTES = 4 * 1024;
/** Node fires longer timers at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const IDENTITY = ['-c', 'user.name=Headway', '-c', 'user.email=headway@localhost'];

/** Does what the ticket's block says: for samples, demonstrations and tests of everything around an agent. */
export const scriptedAgent: Agent = {
  id: 'scripted',
  async run(context) {
    const { steps, problems } = parseScript(context.ticket.text);
    const narration = createNarration(context.output);
    context.began?.();
    const first = problems[0];
    if (first) {
      narration.complain(`line ${first.line}: ${first.message}`);
      return { kind: 'failed', why: `ticket text, line ${first.line}: ${first.message}` };
    }
    const timeout = AbortSignal.timeout(Math.min(context.timeoutMs, MAX_TIMER_MS));
    const signal = AbortSignal.any([context.signal, timeout]);
    for (const step of steps) {
      const outcome = await takeStep(step, { ...context, signal }, narration).catch(
        (thrown): AgentOutcome => ({ kind: 'failed', why: `line ${step.line}: ${toError(thrown).message}` }),
      );
      if (context.signal.aborted) return { kind: 'cancelled' };
      if (timeout.aborted) return { kind: 'timed-out' };
      if (outcome) {
        if (outcome.kind === 'failed') narration.complain(outcome.why);
        return outcome;
      }
    }
    return { kind: 'finished' };
  },
};

/** Undefined: go on with the next step. */
async function takeStep(
  step: Step,
  context: AgentContext,
  narration: Narration,
): Promise<AgentOutcome | undefined> {
  switch (step.kind) {
    case 'print':
      narration.say(step.text);
      return undefined;
    case 'pause':
      await delay(step.pauseMs, undefined, { signal: context.signal });
      return undefined;
    case 'hang':
      // Ends only by the signal, which rejects it.
      await delay(MAX_TIMER_MS, undefined, { signal: context.signal });
      return undefined;
    case 'exit':
      return step.code === 0
        ? { kind: 'finished' }
        : { kind: 'failed', why: `exit ${step.code}`, exit: step.code };
    case 'run':
      return runStep(step.command, context, narration);
    case 'commit':
      narration.act('Commit', shorten(step.message));
      await git(['add', '--all'], { cwd: context.dir, signal: context.signal });
      await git([...IDENTITY, 'commit', '--quiet', '--allow-empty', '-m', step.message], {
        cwd: context.dir,
        signal: context.signal,
        hooks: true,
      });
      return undefined;
    default:
      await editFile(step, context.dir, narration);
      return undefined;
  }
}

type Edit = Extract<Step, { path: string }>;
const VERBS = { write: 'Write', append: 'Append', replace: 'Edit', delete: 'Delete' } as const;

async function editFile(step: Edit, dir: string, narration: Narration): Promise<void> {
  narration.act(VERBS[step.kind], step.path);
  const file = await confinedPath(dir, step.path);
  switch (step.kind) {
    case 'write':
    case 'append':
      await mkdir(dirname(file), { recursive: true });
      await (step.kind === 'write' ? writeFile : appendFile)(file, step.content);
      return;
    case 'delete':
      await rm(file, { recursive: true });
      return;
    case 'replace': {
      const text = await readFile(file, 'utf8');
      if (!text.includes(step.find)) {
        throw new HeadwayError(
          'not-found',
          `${step.path} does not hold ${JSON.stringify(shorten(step.find))}`,
        );
      }
      await writeFile(
        file,
        text.replace(step.find, () => step.with),
      );
      return;
    }
    default:
      step satisfies never;
  }
}

async function runStep(
  command: string,
  context: AgentContext,
  narration: Narration,
): Promise<AgentOutcome | undefined> {
  narration.act('Run', shorten(command));
  const lastLine = new LastLine();
  const result = await run({
    command: { shell: command },
    cwd: context.dir,
    env: context.env,
    signal: context.signal,
    captureBytes: CAPTURE_BYTES,
    onOutput: (bytes) => {
      lastLine.push(bytes);
      context.output(bytes);
    },
  });
  const outcome = commandOutcome(result, lastLine.text(context.redact));
  return outcome.kind === 'finished' ? undefined : outcome;
}
