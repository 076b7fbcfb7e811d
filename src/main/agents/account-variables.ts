import type { Environment } from '../processes/environment.ts';

const DEFAULT_HOST = 'http://127.0.0.1:11434';
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

/** What names the key and the address of the Claude agent: what an attempt's environment names may not receive the user's own key. */
export const apiVariables = (source: NodeJS.ProcessEnv, env: Environment): NodeJS.ProcessEnv =>
  env.ANTHROPIC_BASE_URL ? env : source;

/** Where the server is. A server's own setting may name all addresses, which is none to connect to. */
export function ollamaHost(source: NodeJS.ProcessEnv, env: Environment = {}): string {
  const host = (env.OLLAMA_HOST || source.OLLAMA_HOST || DEFAULT_HOST).trim();
  return host.replace(/^((?:https?:\/\/)?)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, '$1127.0.0.1');
}
