import type { AgentInfo } from '../../shared/domain.ts';
import { ollamaHost } from './account-variables.ts';

const LOOK_LIMIT_MS = 1_500;
const MAX_LISTED = 12;

/** The models that an Ollama server has, as agents. One entry that says what to do where none answers. */
export async function detectOllama(source: NodeJS.ProcessEnv = process.env): Promise<AgentInfo[]> {
  const host = ollamaHost(source);
  const none = (hint: string): AgentInfo[] => [{ id: 'ollama', label: 'Ollama', available: false, hint }];
  try {
    const { Ollama } = await import('ollama');
    const signal = AbortSignal.timeout(LOOK_LIMIT_MS);
    const client = new Ollama({ host, fetch: (input, init) => fetch(input, { ...init, signal }) });
    const { models } = await client.list();
    if (models.length === 0) return none('it runs, but has no model: get one with `ollama pull MODEL`');
    return models.slice(0, MAX_LISTED).map(({ name }) => ({
      id: `ollama: ${name}`,
      label: `Ollama ${name}`,
      available: true,
    }));
  } catch {
    return none(`no Ollama answers at ${host}: start it with \`ollama serve\`, or set OLLAMA_HOST`);
  }
}
