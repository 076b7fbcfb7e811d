import { serverWaitMs } from './retry-after.ts';

/** How long a server asks to wait. `backoff`: it asks, but names no time that can be used. */
export type RetryHint = { waitMs: number } | 'backoff';

const LIMITED =
  /\bHTTP (429|503)\b|\b(rate|abuse|secondary)[ -](limit|detection)|too many requests|^retry-after(-ms)?:/im;

/**
 * What a source-control program says about a limit, from its output with whatever headers are in it. Undefined: it says
 * nothing of a limit. Pure; `nowMs` is used for dates where the server does not tell its own time.
 */
export function retryHint(output: string, nowMs: number): RetryHint | undefined {
  const headers = headersIn(output);
  const waitMs = serverWaitMs(headers, nowMs);
  if (waitMs !== undefined) return { waitMs };
  return LIMITED.test(output) || headers.has('retry-after') ? 'backoff' : undefined;
}

/** `Name: value` lines, also behind the `< ` of a trace; names in lower case. */
function headersIn(output: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of output.split(/\r?\n/)) {
    const match = /^[<*\s]*([A-Za-z][A-Za-z-]{1,60}):[ \t]*(.*)$/.exec(line);
    if (match?.[1] !== undefined) headers.set(match[1].toLowerCase(), (match[2] ?? '').trim());
  }
  return headers;
}
