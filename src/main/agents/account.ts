import { createHash } from 'node:crypto';
import type { Account } from '../limits/account-pauses.ts';
import type { Environment } from '../processes/environment.ts';
import { apiVariables, claudeEnvironment, ollamaHost } from './account-variables.ts';

/** Variables that say whose account a program works with, or where. */
const NAMES_ACCOUNT = /(?:_API_KEY|_AUTH_TOKEN|_OAUTH_TOKEN|_ACCESS_TOKEN|_BASE_URL|_CONFIG_DIR|CODEX_HOME)$/;

/** Few enough characters to be read aloud, enough that no key can be found by them. */
const digest = (values: unknown): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 8);

/** The account of a key or login of Anthropic's, by the variables that name it; the same for every agent that uses it. */
function anthropicAccount(env: NodeJS.ProcessEnv): Account {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseUrl } = env;
  if (apiKey || authToken) {
    const id = `anthropic-${digest([apiKey || authToken, baseUrl ?? ''])}`;
    return { id, label: `the Anthropic key (${id})` };
  }
  const { CLAUDE_CODE_OAUTH_TOKEN: token, CLAUDE_CONFIG_DIR: dir } = env;
  const own = [token, dir, baseUrl].some(Boolean)
    ? `-${digest([token ?? '', dir ?? '', baseUrl ?? ''])}`
    : '';
  return { id: `claude-login${own}`, label: "Claude Code's login" };
}

/** Words in front of a program that are none themselves. */
const BEFORE = /^(?:env|nice|nohup|npx|bunx|exec|command|time)$/;
/** Programs that run what their arguments say: which account that uses is not known by their name. */
const RUNS_OTHERS =
  /^(?:sh|bash|dash|zsh|ksh|fish|cmd|cmd\.exe|pwsh|powershell|node|deno|bun|python[\d.]*|ruby|perl|ssh|docker|podman|sudo|su|timeout|make|npm|pnpm|yarn|uvx?|pipx)$/;

/**
 * The account behind a command line. Lines of the same program with the same variables share one; where the program is not
 * told by its name, the line stands for itself.
 */
function commandAccount(line: string, env: Environment): Account {
  const words = line.trim().split(/\s+/);
  const assigned: string[] = [];
  while (
    words.length > 1 &&
    (BEFORE.test(words[0] ?? '') || /^\w+=/.test(words[0] ?? '') || /^-/.test(words[0] ?? ''))
  ) {
    const word = words.shift() ?? '';
    if (word.includes('=') && NAMES_ACCOUNT.test(word.split('=')[0] ?? '')) assigned.push(word);
  }
  const program = (words[0] ?? '').replace(/^.*[\\/]/, '');
  const named = Object.entries(env).filter(([name, value]) => NAMES_ACCOUNT.test(name) && value !== '');
  const known = /^[\w.@+-]+$/.test(program) && !RUNS_OTHERS.test(program);
  const own = [...assigned, ...named.map((each) => each.join('=')), ...(known ? [] : [line])].sort();
  const name = known ? program : 'command';
  const id = own.length === 0 ? name : `${name}-${digest(own)}`;
  return { id, label: known ? `the account of ${program}` : `the account of \`${line.slice(0, 60)}\`` };
}

/**
 * Whose limits the work of the agent that a ticket, submission or setting names counts for; undefined: nobody's. `env` holds what
 * an attempt's environment has beside the allow-list, `source` is Headway's own. Light: the queue asks it of every job.
 */
export function accountOf(
  spec: string,
  env: Environment,
  source: NodeJS.ProcessEnv = process.env,
): Account | undefined {
  const [, kind = spec.trim(), rest = ''] = /^\s*([\w-]+)\s*:\s*(.*)$/s.exec(spec) ?? [];
  switch (kind) {
    case 'claude-code':
      return anthropicAccount({ ...claudeEnvironment(source), ...env });
    case 'claude':
      return anthropicAccount(apiVariables(source, env));
    case 'ollama': {
      const host = ollamaHost(source, env);
      return { id: `ollama-${host.replace(/^https?:\/\//, '')}`, label: `Ollama at ${host}` };
    }
    case 'command':
      return commandAccount(rest, env);
    default:
      return undefined;
  }
}
