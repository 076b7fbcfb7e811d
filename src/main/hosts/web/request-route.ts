import type { IncomingMessage, ServerResponse } from 'node:http';
import { HeadwayError } from '../../../shared/errors.ts';
import type { Api } from '../../../shared/rpc/server.ts';
import { sendError, sendJson } from './responses.ts';

/** Larger than any folder of tickets; smaller than what would hurt. Holds for WebSocket messages too. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** `POST /api/requests/<name>`: the body is the params in JSON, the answer is the result, or `{ error }`. */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  api: Api,
  name: string,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    sendError(response, new HeadwayError('not-allowed', 'Requests are sent with POST.'), 405);
    return;
  }
  try {
    const params = parseParams(await readBody(request));
    // The contract's schemas take longer to load than all else here; a start does not wait for them.
    const { callHandler } = await import('../../../shared/rpc/server.ts');
    sendJson(response, 200, await callHandler(api, name, params, { kind: 'http' }));
  } catch (thrown) {
    if (thrown instanceof BodyTooLarge) {
      // The rest of the body is not read, so this connection can't serve another request.
      response.setHeader('connection', 'close');
      sendError(response, new HeadwayError('bad-input', thrown.message), 413);
      return;
    }
    sendError(response, thrown);
  }
}

class BodyTooLarge extends Error {}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_MESSAGE_BYTES) {
      throw new BodyTooLarge(`The body is larger than ${MAX_MESSAGE_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseParams(body: string): unknown {
  if (body.trim() === '') return {};
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new HeadwayError('bad-input', 'The body is not JSON.', { cause });
  }
}
