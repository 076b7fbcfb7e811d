import type { AgentInfo } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import { nearestNames } from '../../shared/nearest-names.ts';
import { childEnvironment, type Environment } from '../processes/environment.ts';
import { findProgram, programCommand } from '../processes/find-program.ts';
import { run } from '../processes/run.ts';
import type { Agent } from './agent.ts';
import { CLAUDE_KEY_HINT, claudeAccount, createClaudeAgent, DEFAULT_CLAUDE_MODEL } from './claude.ts';
import { CLAUDE_HINT, createClaudeCodeAgent } from './claude-code.ts';
import { createCommandAgent } from './command.ts';
import { createOllamaAgent } from './ollama.ts';
import { detectOllama } from './ollama-models.ts';
import { scriptedAgent } from './scripted.ts';

const COMMAND_PREFIX = 'command:';
const BUILT_IN: Record<string, () => Agent> = {
  scripted: () => scriptedAgent,
  'claude-code': () => createClaudeCodeAgent(),
  claude: () => createClaudeAgent(),
};
/** `claude: MODEL`, `ollama: MODEL`. */
const BY_MODEL: Record<string, (model: string) => Agent> = {
  claude: (model) => createClaudeAgent(model),
  ollama: (model) => createOllamaAgent(model),
};

const EXAMPLES: Record<string, string> = { claude: DEFAULT_CLAUDE_MODEL, ollama: 'qwen3-coder' };

/** Known command lines that work without a person, with the flags that let them edit without asking. */
const KNOWN_COMMANDS: readonly { program: string; label: string; line: string }[] = [
  { program: 'codex', label: 'Codex', line: 'codex exec --sandbox workspace-write {prompt}' },
  { program: 'opencode', label: 'opencode', line: 'opencode run {prompt}' },
  {
    program: 'aider',
    label: 'Aider',
    line: 'aider --yes-always --no-check-update --message-file {promptFile}',
  },
  { program: 'gemini', label: 'Gemini CLI', line: 'gemini --yolo --prompt {prompt}' },
];

const VERSION_LIMIT_MS = 3_000;

/**
 * The agent that a ticket, a submission or the settings name: `scripted`, `claude-code`, `claude`, `claude: <model>`,
 * `ollama: <model>`, or `command: <line>`. Throws `bad-input` for anything else, and for a command line with an unknown placeholder.
 */
export function resolveAgent(spec: string): Agent {
  const trimmed = spec.trim();
  if (trimmed.startsWith(COMMAND_PREFIX)) {
    const line = trimmed.slice(COMMAND_PREFIX.length).trim();
    if (line === '') throw new HeadwayError('bad-input', "agent 'command:' needs a command line behind it");
    return createCommandAgent(line);
  }
  if (Object.hasOwn(BUILT_IN, trimmed)) return (BUILT_IN[trimmed] as () => Agent)();
  const [, kind = trimmed, model = ''] = /^(\w+)\s*:\s*(.*)$/.exec(trimmed) ?? [];
  if (Object.hasOwn(BY_MODEL, kind)) {
    if (/^[\w./:@-]+$/.test(model)) return (BY_MODEL[kind] as (model: string) => Agent)(model);
    throw new HeadwayError(
      'bad-input',
      `agent '${trimmed}' needs the name of one model behind it, for instance '${kind}: ${EXAMPLES[kind]}'`,
    );
  }
  const known = KNOWN_COMMANDS.find((each) => each.program === trimmed);
  const near = known ? `command: ${known.line}` : nearestNames(trimmed, Object.keys(BUILT_IN), 1)[0];
  const hint = near === undefined ? '.' : `; did you mean '${near}'?`;
  throw new HeadwayError(
    'bad-input',
    `agent '${trimmed}' is not known${hint} There are ${Object.keys(BUILT_IN).join(', ')}, 'claude: <model>', 'ollama: <model>' and 'command: <line>'`,
  );
}

/** What can be chosen on this machine, with versions. A program that does not tell its version in time is listed without. */
export async function detectAgents(
  env: Environment = childEnvironment(),
  source: NodeJS.ProcessEnv = process.env,
): Promise<AgentInfo[]> {
  const ollama = detectOllama(source);
  const claude = detect('claude', env).then((found): AgentInfo => {
    const info = { id: 'claude-code', label: 'Claude Code', available: found !== undefined };
    return found ? { ...info, ...found } : { ...info, hint: CLAUDE_HINT };
  });
  const commands = KNOWN_COMMANDS.map(async ({ program, label, line }): Promise<AgentInfo[]> => {
    const found = await detect(program, env);
    return found ? [{ id: `command: ${line}`, label, available: true, ...found }] : [];
  });
  const scripted: AgentInfo = { id: 'scripted', label: 'Scripted (samples and tests)', available: true };
  const builtIn = { id: 'claude', label: `Claude (built in, ${DEFAULT_CLAUDE_MODEL})` };
  const api: AgentInfo = claudeAccount(source, {})
    ? { ...builtIn, available: true }
    : { ...builtIn, available: false, hint: CLAUDE_KEY_HINT };
  return [await claude, api, ...(await Promise.all(commands)).flat(), ...(await ollama), scripted];
}

async function detect(program: string, env: Environment): Promise<{ version?: string } | undefined> {
  const file = await findProgram(program, env);
  if (!file) return undefined;
  const result = await run({
    command: programCommand(file, ['--version']),
    cwd: process.cwd(),
    env: { ...env, DISABLE_AUTOUPDATER: '1' },
    timeoutMs: VERSION_LIMIT_MS,
    captureBytes: 4096,
  });
  const version = /\d+\.\d+(?:\.\d+)?[\w.-]*/.exec(result.exit === 0 ? result.stdout : '')?.[0];
  return version === undefined ? {} : { version };
}
