/**
 * Every error that a person or a program may have to handle has a stable code. Branch on `code`, never on the text.
 * `data` holds plain JSON values only, so that an error crosses IPC, WebSocket and the command line unchanged.
 */
export const ERROR_CODES = [
  'bad-input', // the caller's data is wrong: names the file, field or setting
  'not-found', // no repository, job, slot or session of that id
  'not-allowed', // the state or the policy forbids it now
  'not-a-repository', // the path is no git work tree, or has no commit
  'conflict', // somebody else changed it meanwhile
  'unavailable', // a needed program, port, directory or binary is missing
  'cancelled', // the caller or a person gave up
  'busy', // try again: data.retryAfterMs
  'internal', // a broken assumption
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export type PlainError = { code: ErrorCode; message: string; data?: Record<string, unknown> };

export class HeadwayError extends Error {
  readonly code: ErrorCode;
  readonly data: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { data?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HeadwayError';
    this.code = code;
    this.data = options.data;
  }
}

/** Coerces whatever was thrown into an Error, so that a catch needs no guesswork. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Makes an error plain before it crosses a process or a network. */
export function toPlainError(thrown: unknown): PlainError {
  if (thrown instanceof HeadwayError) {
    return { code: thrown.code, message: thrown.message, ...(thrown.data ? { data: thrown.data } : {}) };
  }
  return { code: 'internal', message: toError(thrown).message };
}

export function fromPlainError(plain: PlainError): HeadwayError {
  return new HeadwayError(plain.code, plain.message, plain.data ? { data: plain.data } : {});
}
