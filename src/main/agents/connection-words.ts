/** What went wrong between here and a server, for a person; `passing`: it may go well another time. */
export type ConnectionTrouble = { words: string; passing: boolean };

const BROKE_OFF = 'the connection broke off in the middle of the answer';
const BY_CODE: Record<string, ConnectionTrouble> = {
  ECONNREFUSED: { words: 'nothing listens there', passing: true },
  ENOTFOUND: { words: 'there is no server of that name', passing: true },
  EAI_AGAIN: { words: 'its name could not be looked up (is the network up?)', passing: true },
  ECONNRESET: { words: 'it closed the connection', passing: true },
  EPIPE: { words: 'it closed the connection', passing: true },
  ETIMEDOUT: { words: 'it did not answer in time', passing: true },
  EHOSTUNREACH: { words: 'no way leads there (is the network up?)', passing: true },
  ENETUNREACH: { words: 'no way leads there (is the network up?)', passing: true },
  UND_ERR_CONNECT_TIMEOUT: { words: 'it did not answer in time', passing: true },
  UND_ERR_HEADERS_TIMEOUT: { words: 'it accepted the request and did not begin to answer', passing: true },
  UND_ERR_BODY_TIMEOUT: { words: 'it fell silent in the middle of the answer', passing: true },
  UND_ERR_SOCKET: { words: BROKE_OFF, passing: true },
  ERR_INVALID_URL: { words: 'that is no address of a server', passing: false },
};
const CERTIFICATE = /^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL|EPROTO)/;
const DEPTH = 6;

/**
 * Pure: the trouble behind an error that a request threw, by the codes in its chain of causes. Undefined: it is none of a
 * connection, so a mistake in a program or a setting, which the same request would meet again.
 */
export function connectionTrouble(thrown: unknown): ConnectionTrouble | undefined {
  let error = thrown as { code?: unknown; cause?: unknown; message?: unknown } | undefined;
  for (let depth = 0; error && depth < DEPTH; depth += 1, error = error.cause as typeof error) {
    const code = typeof error.code === 'string' ? error.code : '';
    const known = BY_CODE[code];
    if (known) return { ...known, words: `${known.words} (${code})` };
    if (CERTIFICATE.test(code)) {
      return {
        words: `its certificate is not accepted, or it does not speak HTTPS (${code})`,
        passing: false,
      };
    }
    // What `fetch` says of a body whose connection is gone, mostly without a cause.
    if (error.message === 'terminated' && error.cause === undefined)
      return { words: BROKE_OFF, passing: true };
  }
  return undefined;
}
