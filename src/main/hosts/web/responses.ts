import type { ServerResponse } from 'node:http';
import { type ErrorCode, HeadwayError, type PlainError, toPlainError } from '../../../shared/errors.ts';
import { contentPolicy } from '../content-policy.ts';

const STATUS: Record<ErrorCode, number> = {
  'bad-input': 400,
  'not-allowed': 403,
  'not-found': 404,
  cancelled: 409,
  conflict: 409,
  'not-a-repository': 422,
  busy: 429,
  internal: 500,
  unavailable: 503,
};

/** Headers of every answer: a page of ours runs our own code only, and no other page may hold it. */
export function setSecurityHeaders(response: ServerResponse, hostHeader: string): void {
  // Safari does not count WebSockets as 'self'.
  response.setHeader('content-security-policy', contentPolicy([`ws://${hostHeader}`]));
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed || response.headersSent) return;
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.byteLength,
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** `{ "error": { code, message, data? } }` with the status that fits the code, or the one given. */
export function sendError(response: ServerResponse, thrown: unknown, status?: number): void {
  const error: PlainError = toPlainError(thrown);
  const retryAfterMs = error.data?.retryAfterMs;
  if (error.code === 'busy' && typeof retryAfterMs === 'number' && !response.headersSent) {
    response.setHeader('retry-after', Math.ceil(retryAfterMs / 1000));
  }
  sendJson(response, status ?? STATUS[error.code], { error });
}

export function notFound(path: string): HeadwayError {
  return new HeadwayError('not-found', `There is nothing at ${path}.`);
}
