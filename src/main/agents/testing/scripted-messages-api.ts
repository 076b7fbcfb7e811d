import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model: text, tool calls, or an error of the server. */
export type ScriptedTurn =
  | { text?: string; tools?: { name: string; input: Record<string, unknown> }[]; pauseMs?: number }
  | { status: number; error: string; headers?: Record<string, string> }
  /** What is sent in place of a message, as it is; the connection is cut behind it where `cut` says so. */
  | { raw: string; cut?: true };

export type ReceivedRequest = { path: string; headers: Record<string, string>; body: MessagesBody };
export type MessagesBody = {
  model?: string;
  stream?: boolean;
  tools?: { name: string }[];
  messages?: { role: string; content: unknown }[];
};

export type ScriptedMessagesApi = AsyncDisposable & {
  /** What `ANTHROPIC_BASE_URL` must be. */
  url: string;
  /** Requests of agents' turns, in order; side requests without tools are answered but not listed. */
  requests: ReceivedRequest[];
  close(): Promise<void>;
};

const INPUT_TOKENS = 100;
const OUTPUT_TOKENS = 20;

/**
 * A model that says what the test decides, over the Messages API on loopback, streaming or not. `turns` is a list that is
 * used up in order (the last one repeats), or a function of the request. Requests that offer no tools (titles, topic
 * checks) get a short text and use up no turn.
 */
export async function startScriptedMessagesApi(
  turns: readonly ScriptedTurn[] | ((request: ReceivedRequest, index: number) => ScriptedTurn),
): Promise<ScriptedMessagesApi> {
  const requests: ReceivedRequest[] = [];
  const pick = (request: ReceivedRequest): ScriptedTurn => {
    if (!request.body.tools?.length) return { text: 'ok' };
    const index = requests.push(request) - 1;
    if (typeof turns === 'function') return turns(request, index);
    return turns[Math.min(index, turns.length - 1)] ?? { text: 'done' };
  };
  const server = createServer((request, response) => {
    void answer(request, response, pick).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close, [Symbol.asyncDispose]: close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pick: (request: ReceivedRequest) => ScriptedTurn,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path.endsWith('/count_tokens')) {
    sendJson(response, 200, { input_tokens: INPUT_TOKENS });
    return;
  }
  if (request.method !== 'POST' || !path.endsWith('/messages')) {
    sendJson(response, request.method === 'HEAD' ? 200 : 404, errorBody('not_found_error', path));
    return;
  }
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as MessagesBody;
  const turn = pick({ path, headers: request.headers as Record<string, string>, body });
  if ('status' in turn) {
    for (const [name, value] of Object.entries(turn.headers ?? {})) response.setHeader(name, value);
    sendJson(response, turn.status, errorBody('api_error', turn.error));
    return;
  }
  if ('raw' in turn) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(turn.raw, () => (turn.cut ? response.destroy() : response.end()));
    return;
  }
  if (turn.pauseMs) await new Promise((resolve) => setTimeout(resolve, turn.pauseMs));
  const message = toMessage(turn, body.model ?? 'scripted');
  if (body.stream) streamMessage(response, message);
  else sendJson(response, 200, message);
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };
type Message = ReturnType<typeof toMessage>;

let lastId = 0;
const nextId = (prefix: string): string => {
  lastId += 1;
  return `${prefix}_scripted${lastId}`;
};

function toMessage(turn: Exclude<ScriptedTurn, { status: number } | { raw: string }>, model: string) {
  const content: Block[] = [];
  if (turn.text !== undefined) content.push({ type: 'text', text: turn.text });
  for (const tool of turn.tools ?? []) content.push({ type: 'tool_use', id: nextId('toolu'), ...tool });
  return {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: turn.tools?.length ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: INPUT_TOKENS,
      output_tokens: OUTPUT_TOKENS,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}

/** The events of a streamed message, each block's content in two pieces, so that readers have to join them. */
function streamMessage(response: ServerResponse, message: Message): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (event: { type: string }): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const start = { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } };
  send({ type: 'message_start', message: start } as { type: string });
  for (const [index, block] of message.content.entries()) {
    const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
    send({ type: 'content_block_start', index, content_block: empty } as { type: string });
    const whole = block.type === 'text' ? block.text : JSON.stringify(block.input);
    const middle = Math.floor(whole.length / 2);
    for (const piece of [whole.slice(0, middle), whole.slice(middle)]) {
      const delta =
        block.type === 'text'
          ? { type: 'text_delta', text: piece }
          : { type: 'input_json_delta', partial_json: piece };
      send({ type: 'content_block_delta', index, delta } as { type: string });
    }
    send({ type: 'content_block_stop', index } as { type: string });
  }
  send({
    type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: message.usage.output_tokens },
  } as { type: string });
  send({ type: 'message_stop' });
  response.end();
}

const errorBody = (type: string, message: string): object => ({ type: 'error', error: { type, message } });

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
