import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type OllamaTurn =
  | {
      text?: string;
      tools?: { name: string; arguments: unknown }[];
      /** Bytes in place of the message, as they are. */
      raw?: string;
      /** Sends the beginning and then nothing more until the client goes. */
      stall?: true;
    }
  | { status: number; error: string; headers?: Record<string, string> };

export type FakeOllama = AsyncDisposable & {
  /** What `OLLAMA_HOST` must be. */
  url: string;
  requests: {
    model: string;
    options?: { num_ctx?: number };
    messages: { role: string; content: string }[];
  }[];
  /** Resolves when the client of a stalled answer has gone. */
  gone: Promise<void>;
  /** Resolves when a stalled answer has begun. */
  stalled: Promise<void>;
};

/** An Ollama server on loopback that answers each chat with the next turn; the last one repeats. */
export async function startFakeOllama(
  turns: readonly OllamaTurn[],
  models: string[] = [],
): Promise<FakeOllama> {
  const requests: FakeOllama['requests'] = [];
  const gone = Promise.withResolvers<void>();
  const stalled = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === '/api/tags') {
      response.end(JSON.stringify({ models: models.map((name) => ({ name, model: name })) }));
      return;
    }
    const index = requests.push(JSON.parse(Buffer.concat(chunks).toString('utf8'))) - 1;
    const turn = turns[Math.min(index, turns.length - 1)] ?? { text: 'done' };
    if ('status' in turn) {
      response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
      response.end(JSON.stringify({ error: turn.error }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    if (turn.stall) {
      response.on('close', gone.resolve);
      response.write(line({ content: turn.text ?? 'I begin\n' }), () => stalled.resolve());
      return;
    }
    send(response, turn);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    gone: gone.promise,
    stalled: stalled.promise,
    [Symbol.asyncDispose]: close,
  };
}

const line = (message: object, more: object = { done: false }): string =>
  `${JSON.stringify({ model: 'fake', message: { role: 'assistant', ...message }, ...more })}\n`;

/** Each half of the text in a line of its own, a blank line between, and characters cut across chunks. */
function send(response: ServerResponse, turn: Exclude<OllamaTurn, { status: number }>): void {
  if (turn.raw !== undefined) {
    response.end(turn.raw);
    return;
  }
  const text = turn.text ?? '';
  const middle = Math.floor(text.length / 2);
  const calls = turn.tools?.map((tool) => ({ function: tool }));
  const bytes = Buffer.from(
    [
      line({ content: text.slice(0, middle) }),
      '\r\n',
      line({ content: text.slice(middle), ...(calls ? { tool_calls: calls } : {}) }),
      line(
        { content: '' },
        { done: true, done_reason: 'stop', prompt_eval_count: 50, eval_count: 10, total_duration: 1 },
      ),
    ].join(''),
  );
  for (let at = 0; at < bytes.length; at += 37) response.write(bytes.subarray(at, at + 37));
  response.end();
}
