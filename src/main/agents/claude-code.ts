import type { Usage } from '../../shared/domain.ts';
import type { Environment } from '../processes/environment.ts';
import { run } from '../processes/run.ts';
import type { Agent, AgentOutcome } from './agent.ts';
import { type ClaudeEvent, ClaudeStream } from './claude-stream.ts';
import { commandOutcome } from './command.ts';
import { findProgram, programCommand } from './find-program.ts';
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
/** Say that `claude` runs inside another one, whose session it would then look for. */
const NESTED = new Set(['CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_SESSION_ID']);

/** The user's own login and settings of `claude`, which the allow-list does not know. */
export function claudeEnvironment(source: NodeJS.ProcessEnv): Environment {
  const result: Environment = { DISABLE_AUTOUPDATER: '1' };
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && /^(ANTHROPIC|CLAUDE)_/.test(name) && !NESTED.has(name)) result[name] = value;
  }
  return result;
}

/** The user's own `claude`, headless in the slot. `source` is where its login comes from. */
export function createClaudeCodeAgent(source: NodeJS.ProcessEnv = process.env): Agent {
  return {
    id: 'claude-code',
    async run(context) {
      const env = { ...claudeEnvironment(source), ...context.env };
      const file = await findProgram('claude', env);
      if (!file) return { kind: 'missing', hint: CLAUDE_HINT };
      const narration = createNarration(context.output);
      const stream = new ClaudeStream();
      const lastLine = new LastLine();
      const seen: Seen = {};
      const take = (events: ClaudeEvent[]): void => {
        for (const event of events) {
          if (event.kind === 'noise') lastLine.push(Buffer.from(`${event.text}\n`));
          render(event, narration);
          if (event.kind === 'result') seen.result = event;
          if (event.kind === 'result' || event.kind === 'usage') {
            seen.usage = event.usage;
            context.onUsage(event.usage);
          }
        }
      };
      const ended = await run({
        command: programCommand(file, ARGUMENTS),
        cwd: context.dir,
        env,
        input: context.prompt,
        timeoutMs: context.timeoutMs,
        signal: context.signal,
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
      return claudeOutcome(commandOutcome(ended, lastLine.text(context.redact)), seen);
    },
  };
}

type Seen = { result?: Extract<ClaudeEvent, { kind: 'result' }>; usage?: Usage };

/** Pure: the program's end and what its stream said, as one outcome. An exit of 0 without a result is no success. */
export function claudeOutcome(end: AgentOutcome, seen: Seen): AgentOutcome {
  if (end.kind !== 'finished' && end.kind !== 'failed') return end;
  const usage = seen.usage ? { usage: seen.usage } : {};
  if (seen.result && !seen.result.ok) {
    return { kind: 'failed', why: shorten(seen.result.text, 300), ...usage };
  }
  if (end.kind === 'failed') return { ...end, ...usage };
  if (!seen.result) return { kind: 'failed', why: 'claude ended without a result', ...usage };
  return { kind: 'finished', ...usage };
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
    case 'usage':
      return;
    default:
      event satisfies never;
  }
}

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
