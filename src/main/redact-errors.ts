import type { RequestName } from '../shared/contract.ts';
import { fromPlainError, toPlainError } from '../shared/errors.ts';
import type { Api, Handlers } from '../shared/rpc/server.ts';
import type { TextRedactor } from './terminals/redaction.ts';

/** The same requests; what they fail with has its secrets taken out before it leaves the engine. */
export function redactErrors(api: Api, redact: TextRedactor): Api {
  const guard = (name: RequestName) => {
    const handler = api.handlers[name] as (params: unknown, caller: unknown) => unknown;
    return async (params: unknown, caller: unknown): Promise<unknown> => {
      try {
        return await handler(params, caller);
      } catch (thrown) {
        throw fromPlainError(redact.value(toPlainError(thrown)));
      }
    };
  };
  const names = Object.keys(api.handlers) as RequestName[];
  return {
    ...api,
    handlers: Object.fromEntries(names.map((name) => [name, guard(name)])) as unknown as Handlers,
  };
}
