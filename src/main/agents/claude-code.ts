import { formatMoment, MINUTE_MS, SECOND_MS } from '../../shared/time.ts';
import { findProgram, programCommand } from '../processes/find-program.ts';
import { run } from '../processes/run.ts';
import { claudeEnvironment } from './account-variables.ts';
import type { Agent } from './agent.ts';
import { ClaudeCourse, claudeOutcome } from './claude-outcome.ts';
import { type ClaudeEvent, ClaudeStream } from './claude-stream.ts';
import { commandOutcome } from './command.ts';
import { LastLine } from './last-line.ts';
import { createNarration, type Narration, shorten } from './narration.ts';
import { usageLine } from './usage-line.ts';

export const CLAUDE_HINT =
  'install Claude Code (npm install -g @anthropic-ai/claude-code), run `claude` once to log in, and see that it is on the PATH';

/**
 * Nobody can answer a question in a slot: edits inside it and commands are allowed beforehand. Not
 * `bypassPermissions`, which also allows edits anywhere on the machine and is refused for root.
 */
const ARGUMENTS = [
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--permission-mode',
  'acceptEdits',
  '--allowedTools',
  'Bash,NotebookEdit,WebFetch,WebSearch',
] as const;

const CAPTURE_BYTES = 4 * 1024;
/**
 * It ends by itself within this time of its result, unless something holds it (a server that it started, a hook, a bug): its
 * work is done and is not lost for that.
 */
const RESULT_GRACE_MS = 5 * SECOND_MS;
/** A refused request that is sent again after more than this is not waited for: its slot and its timeout run on. */
const LONGEST_RETRY_MS = 5 * MINUTE_MS;
/** What passes sooner is between it and its service. */
const SHORTEST_PAUSE_MS = 2 * SECOND_MS;

/** The user's own `claude`, headless in the slot. `source` is where its login comes from. */
export function createClaudeCodeAgent(
  source: NodeJS.ProcessEnv = process.env,
  { graceMs = RESULT_GRACE_MS } = {},
): Agent {
  return {
    id: 'claude-code',
    async run(context) {
      const env = { ...claudeEnvironment(source), ...context.env };
      const file = await findProgram('claude', env);
      if (!file) return { kind: 'missing', hint: CLAUDE_HINT };
      const narration = createNarration(context.output);
      const stream = new ClaudeStream();
      const lastLine = new LastLine();
      const course = new ClaudeCourse();
      const enough = new AbortController();
      let grace: NodeJS.Timeout | undefined;
      const take = (events: ClaudeEvent[]): void => {
        for (const event of events) {
          if (event.kind === 'noise') lastLine.push(Buffer.from(`${event.text}\n`));
          render(event, narration);
          course.take(event, Date.now());
          if (event.kind === 'result' || event.kind === 'usage') context.onUsage(event.usage);
          if (event.kind === 'retry' && event.waitMs >= SHORTEST_PAUSE_MS && course.limit) {
            void context.limits?.limited(course.limit);
            if (event.waitMs > LONGEST_RETRY_MS) enough.abort();
          }
          if (event.kind === 'noise') continue;
          // What it began in the background may wake it once more.
          clearTimeout(grace);
          if (course.result) grace = setTimeout(() => enough.abort(), graceMs);
        }
      };
      const ended = await run({
        command: programCommand(file, ARGUMENTS),
        cwd: context.dir,
        env,
        input: context.prompt,
        timeoutMs: context.timeoutMs,
        signal: AbortSignal.any([context.signal, enough.signal]),
        captureBytes: CAPTURE_BYTES,
        onStart: () => context.began?.(),
        onOutput: (bytes, from) => {
          if (from === 'stdout') take(stream.push(bytes));
          else {
            lastLine.push(bytes);
            context.output(bytes);
          }
        },
      });
      take(stream.end());
      clearTimeout(grace);
      const endedByUs = ended.status === 'cancelled' && !context.signal.aborted;
      if (endedByUs && course.result) {
        narration.detail(`it did not exit within ${graceMs / SECOND_MS} s of its result, and was ended`);
      }
      const end = endedByUs
        ? { kind: 'finished' as const }
        : commandOutcome(ended, lastLine.text(context.redact));
      return claudeOutcome(end, course, { tail: lastLine.tail(context.redact), nowMs: Date.now() });
    },
  };
}

function render(event: ClaudeEvent, narration: Narration): void {
  switch (event.kind) {
    case 'text':
      narration.say(event.text);
      return;
    case 'tool':
      narration.act(event.name, toolObject(event.input));
      return;
    case 'tool-error':
      narration.detail(shorten(event.text, 200));
      return;
    case 'noise':
      narration.detail(event.text);
      return;
    case 'result':
      if (!event.ok) narration.complain(event.text);
      if (event.denied.length > 0) narration.complain(`not allowed here: ${event.denied.join(', ')}`);
      narration.detail(usageLine(event.usage));
      return;
    case 'limit':
      if (event.rejected) narration.complain(`its account is at its limit${until(event.resetAt)}`);
      return;
    case 'retry':
      narration.detail(
        `refused${event.status === undefined ? '' : ` (${event.status})`}; it tries again in ${Math.ceil(event.waitMs / SECOND_MS)} s`,
      );
      return;
    case 'usage':
      return;
    default:
      event satisfies never;
  }
}

const until = (at: number | undefined): string => (at === undefined ? '' : ` until ${formatMoment(at)}`);

/** The part of a tool's input that says what it is about. */
function toolObject(input: Record<string, unknown>): string {
  for (const key of [
    'command',
    'file_path',
    'notebook_path',
    'pattern',
    'path',
    'url',
    'query',
    'description',
  ]) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return shorten(value);
  }
  return '';
}
