import type Anthropic from '@anthropic-ai/sdk';
import { serverWaitMs } from '../limits/retry-after.ts';
import type { Environment } from '../processes/environment.ts';
import { apiVariables } from './account-variables.ts';
import type { Agent } from './agent.ts';
import { type ChatModel, type ModelAnswer, ModelError, type ModelRequest } from './chat-model.ts';
import { claudeCostUsd } from './claude-prices.ts';
import { connectionTrouble } from './connection-words.ts';
import type { Turn } from './conversation.ts';
import { isBusyStatus, isRefusedStatus } from './retry-policy.ts';
import type { LoopOptions } from './tool-loop.ts';

export const CLAUDE_KEY_HINT = 'set ANTHROPIC_API_KEY in the environment that Headway starts in';
export const DEFAULT_CLAUDE_MODEL = 'claude-sonnet-5-5';

const MAX_OUTPUT_TOKENS = 32_000;
/** Fits the smallest window of the models there are, and keeps a long job from costing more with each round. */
const CONTEXT_TOKENS = 180_000;

type Sdk = typeof import('@anthropic-ai/sdk');
type Account = { baseURL?: string; apiKey?: string; authToken?: string };

/**
 * The key and the address, both from one place: what an attempt's environment names may not receive the user's own key.
 * Undefined where there is no key.
 */
export function claudeAccount(source: NodeJS.ProcessEnv, env: Environment): Account | undefined {
  const from = apiVariables(source, env);
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseURL } = from;
  if (!apiKey && !authToken) return undefined;
  return { ...(apiKey ? { apiKey } : { authToken }), ...(baseURL ? { baseURL } : {}) };
}

/** Claude over its API, with Headway's own tools. `source` is where key and address come from. */
export function createClaudeAgent(
  model = DEFAULT_CLAUDE_MODEL,
  source: NodeJS.ProcessEnv = process.env,
  options: Partial<LoopOptions> = {},
): Agent {
  return {
    id: `claude: ${model}`,
    async run(context) {
      const account = claudeAccount(source, context.env);
      if (!account) return { kind: 'missing', hint: CLAUDE_KEY_HINT };
      // Late: most starts of Headway need neither.
      const [sdk, { runToolLoop }] = await Promise.all([
        import('@anthropic-ai/sdk'),
        import('./tool-loop.ts'),
      ]);
      const client = new sdk.default({
        ...account,
        maxRetries: 0, // the loop tries again, and says so
        logLevel: 'off',
      });
      return runToolLoop(context, claudeModel(sdk, client, model), options);
    },
  };
}

function claudeModel(sdk: Sdk, client: Anthropic, model: string): ChatModel {
  return {
    label: model,
    contextTokens: CONTEXT_TOKENS,
    async ask(request) {
      try {
        const stream = client.messages.stream(toParams(model, request), { signal: request.signal });
        stream.on('streamEvent', request.began);
        stream.on('text', request.onText);
        return toAnswer(model, await stream.finalMessage());
      } catch (thrown) {
        request.signal.throwIfAborted();
        throw toModelError(sdk, thrown, client.baseURL);
      }
    },
  };
}

const CACHE = { cache_control: { type: 'ephemeral' } } as const;

function toParams(model: string, request: ModelRequest): Anthropic.MessageCreateParams {
  // An answer of nothing is refused when it comes back.
  const messages = request.turns.map(toMessage).filter((message) => message.content.length > 0);
  // All up to here comes again with the next round.
  const last = messages.at(-1);
  if (last && Array.isArray(last.content)) {
    const block = last.content.at(-1);
    if (block?.type === 'text' || block?.type === 'tool_result') Object.assign(block, CACHE);
  }
  return {
    model,
    max_tokens: MAX_OUTPUT_TOKENS,
    system: [{ type: 'text', text: request.system, ...CACHE }],
    tools: request.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.parameters as Anthropic.Tool.InputSchema,
    })),
    messages,
  };
}

function toMessage(turn: Turn): Anthropic.MessageParam {
  switch (turn.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: turn.text }] };
    case 'tools':
      return {
        role: 'user',
        content: turn.results.map((result) => ({
          type: 'tool_result',
          tool_use_id: result.id,
          content: result.text,
          is_error: result.failed,
        })),
      };
    case 'assistant': {
      // Thinking comes back as it was signed; the inputs of calls may have been cut meanwhile.
      const inputs = new Map(turn.calls.map((call) => [call.id, call.input]));
      const blocks = (turn.native as Anthropic.ContentBlock[]).map((block) =>
        block.type === 'tool_use' ? { ...block, input: inputs.get(block.id) ?? block.input } : block,
      );
      return { role: 'assistant', content: blocks as Anthropic.ContentBlockParam[] };
    }
  }
}

function toAnswer(model: string, message: Anthropic.Message): ModelAnswer {
  const { usage, content } = message;
  // An empty text is refused when it comes back.
  const kept = content.filter((block) => block.type !== 'text' || block.text !== '');
  const costUsd = claudeCostUsd(model, usage);
  return {
    text: kept.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    calls: kept.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    stop: STOPS[message.stop_reason ?? 'end_turn'] ?? 'end',
    inputTokens:
      usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
    outputTokens: usage.output_tokens,
    ...(costUsd === undefined ? {} : { costUsd }),
    native: kept,
  };
}

const STOPS: Partial<Record<Anthropic.StopReason, ModelAnswer['stop']>> = {
  tool_use: 'tools',
  max_tokens: 'length',
  refusal: 'refused',
};

/** Errors on the stream after a 200 carry a type and no status. */
const BUSY_TYPES = new Set(['api_error', 'timeout_error']);
const REFUSED_TYPES = new Set(['overloaded_error', 'rate_limit_error']);

function toModelError(sdk: Sdk, thrown: unknown, address: string): ModelError {
  if (thrown instanceof sdk.APIError && !(thrown instanceof sdk.APIConnectionError)) return apiError(thrown);
  const trouble = connectionTrouble(thrown);
  if (trouble) {
    const kind = trouble.passing ? 'busy' : 'failed';
    return new ModelError(kind, `no answer from ${address}: ${trouble.words}`, { cause: thrown });
  }
  if (thrown instanceof sdk.APIConnectionTimeoutError) {
    return new ModelError('busy', `no answer from ${address}: it did not answer in time`, { cause: thrown });
  }
  const cause = thrown instanceof sdk.AnthropicError ? thrown.cause : thrown;
  if (cause instanceof SyntaxError) {
    const words = `${address} answered with something else than the Anthropic API does (${cause.message}); is a proxy between, or the address wrong?`;
    return new ModelError('failed', words, { cause: thrown });
  }
  // A mistake in a program or a setting: it would come again.
  if (cause instanceof Error) {
    return new ModelError('failed', `the request to ${address} could not be made: ${deepest(cause)}`, {
      cause: thrown,
    });
  }
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new ModelError('busy', `the answer of ${address} broke off before its end (${said})`, {
    cause: thrown,
  });
}

/** `fetch` says little itself. */
function deepest(error: Error): string {
  let last = error;
  while (last.cause instanceof Error) last = last.cause;
  return `${last.name}: ${last.message}`;
}

function apiError(thrown: InstanceType<Sdk['APIError']>): ModelError {
  const { status, type } = thrown;
  const text = thrown.apiMessage ?? thrown.message;
  const refused = status === undefined ? REFUSED_TYPES.has(type ?? '') : isRefusedStatus(status);
  const busy = status === undefined ? BUSY_TYPES.has(type ?? '') : isBusyStatus(status);
  return new ModelError(
    refused ? 'refused' : busy ? 'busy' : 'failed',
    status === undefined ? text : `${status}: ${text}`,
    { retryAfterMs: serverWaitMs(thrown.headers, Date.now()), cause: thrown },
  );
}
