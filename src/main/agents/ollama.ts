import type { ChatResponse, Message, Ollama, Tool } from 'ollama';
import { serverWaitMs } from '../limits/retry-after.ts';
import { ollamaHost } from './account-variables.ts';
import type { Agent } from './agent.ts';
import { type ChatModel, MOST_WORDS, type ModelAnswer, ModelError, type ModelRequest } from './chat-model.ts';
import { connectionTrouble } from './connection-words.ts';
import type { ToolCall, Turn } from './conversation.ts';
import { jsonLinesGuard } from './json-lines-guard.ts';
import { isBusyStatus, isRefusedStatus } from './retry-policy.ts';
import type { LoopOptions } from './tool-loop.ts';

/**
 * Ollama's own default is a few thousand tokens, beyond which it forgets the beginning without a word. Every request
 * sends the same number: another one makes the server load the model anew.
 */
const DEFAULT_CONTEXT_TOKENS = 32_768;
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A model of an Ollama server, with Headway's own tools. `source` is where the server's address comes from. */
export function createOllamaAgent(
  model: string,
  source: NodeJS.ProcessEnv = process.env,
  options: Partial<LoopOptions> = {},
): Agent {
  return {
    id: `ollama: ${model}`,
    async run(context) {
      const host = ollamaHost(source, context.env);
      const wanted = Number(source.OLLAMA_CONTEXT_LENGTH);
      const contextTokens = Number.isInteger(wanted) && wanted > 0 ? wanted : DEFAULT_CONTEXT_TOKENS;
      // Late: most starts of Headway need neither.
      const [{ Ollama: Client }, { runToolLoop }] = await Promise.all([
        import('ollama'),
        import('./tool-loop.ts'),
      ]);
      const connect = (signal: AbortSignal): Ollama =>
        new Client({ host, fetch: guardedFetch(host, model, signal) });
      return runToolLoop(context, ollamaModel(connect, model, host, contextTokens), options);
    },
  };
}

function ollamaModel(
  connect: (signal: AbortSignal) => Ollama,
  model: string,
  host: string,
  contextTokens: number,
): ChatModel {
  return {
    label: `${model} at ${host}`,
    contextTokens,
    async ask(request) {
      try {
        const stream = await connect(request.signal).chat({
          model,
          stream: true,
          messages: [{ role: 'system', content: request.system }, ...request.turns.flatMap(toMessages)],
          tools: request.tools.map(toTool),
          options: { num_ctx: contextTokens },
        });
        return await readAnswer(stream, request);
      } catch (thrown) {
        request.signal.throwIfAborted();
        if (thrown instanceof ModelError) throw thrown;
        throw new ModelError('failed', brokenWords(thrown, host), { cause: thrown });
      }
    },
  };
}

/** An answer that began and did not come to its end: the error line of the server, or what became of the connection. */
function brokenWords(thrown: unknown, host: string): string {
  const trouble = connectionTrouble(thrown);
  if (trouble) return `no whole answer from ${host}: ${trouble.words}`;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  // The library's own words for it.
  if (text.startsWith('Did not receive done')) return `the answer of ${host} broke off before its end`;
  return thrown instanceof TypeError ? `the answer of ${host} could not be read: ${text}` : text;
}

async function readAnswer(stream: AsyncIterable<ChatResponse>, request: ModelRequest): Promise<ModelAnswer> {
  let text = '';
  let thinking = '';
  const calls: ToolCall[] = [];
  let last: ChatResponse | undefined;
  for await (const part of stream) {
    request.began();
    last = part;
    const { content, thinking: thought, tool_calls: toolCalls } = part.message ?? {};
    if (content) {
      text += content;
      request.onText(content);
    }
    if (thought) thinking += thought;
    for (const call of toolCalls ?? []) {
      calls.push({
        id: `call-${request.turns.length}-${calls.length + 1}`,
        name: call.function?.name ?? '',
        input: call.function?.arguments,
      });
    }
  }
  return {
    text,
    calls,
    stop: calls.length > 0 ? 'tools' : last?.done_reason === 'length' ? 'length' : 'end',
    // Left out of some answers.
    inputTokens: last?.prompt_eval_count ?? 0,
    outputTokens: last?.eval_count ?? 0,
    ...(thinking === '' ? {} : { native: thinking }),
  };
}

function toMessages(turn: Turn): Message[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: turn.text }];
    case 'tools':
      return turn.results.map((result) => ({
        role: 'tool',
        content: result.failed ? `error: ${result.text}` : result.text,
        tool_name: result.name,
      }));
    case 'assistant':
      return [
        {
          role: 'assistant',
          content: turn.text,
          ...(typeof turn.native === 'string' ? { thinking: turn.native } : {}),
          ...(turn.calls.length === 0
            ? {}
            : {
                tool_calls: turn.calls.map((call) => ({
                  function: { name: call.name, arguments: call.input as Record<string, unknown> },
                })),
              }),
        },
      ];
  }
}

const toTool = (tool: ModelRequest['tools'][number]): Tool => ({
  type: 'function',
  function: {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters as Tool['function']['parameters'],
  },
});

/**
 * The library gives a request no signal before its answer begins, forgets headers of errors, prints to standard output, and
 * passes over lines that it can't read: all of it is dealt with before it sees the response.
 */
function guardedFetch(host: string, model: string, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const signals = init?.signal ? [signal, init.signal] : [signal];
    let response: Response;
    try {
      response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    } catch (thrown) {
      signal.throwIfAborted();
      const cause = (thrown as Error).cause as NodeJS.ErrnoException | undefined;
      const trouble = connectionTrouble(thrown);
      if (cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOTFOUND') {
        throw new ModelError('missing', `no Ollama answers at ${host}: start it with \`ollama serve\``, {
          cause: thrown,
        });
      }
      // Without a known trouble it is a mistake in a setting: it would come again.
      throw new ModelError(
        trouble?.passing ? 'busy' : 'failed',
        `no answer from ${host}: ${trouble?.words ?? cause?.message ?? (thrown as Error).message}`,
        { cause: thrown },
      );
    }
    if (!response.ok) throw await statusError(response, model);
    const body = response.body?.pipeThrough(jsonLinesGuard(MAX_LINE_BYTES));
    return new Response(body ?? null, { status: response.status, headers: response.headers });
  };
}

async function statusError(response: Response, model: string): Promise<ModelError> {
  const body = await response.text().catch(() => '');
  const text = errorText(body) || response.statusText;
  if (response.status === 404 && /model/i.test(text)) {
    return new ModelError('missing', `${text}: get it with \`ollama pull ${model}\``);
  }
  const { status } = response;
  const kind = isRefusedStatus(status) ? 'refused' : isBusyStatus(status) ? 'busy' : 'failed';
  return new ModelError(kind, `${status}: ${text}`, {
    retryAfterMs: serverWaitMs(response.headers, Date.now()),
  });
}

function errorText(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Not JSON: a proxy in front of it may answer in words.
  }
  return body.slice(0, MOST_WORDS).trim();
}
