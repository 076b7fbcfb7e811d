import type { RequestName } from '../shared/contract.ts';
import { fromPlainError, toPlainError } from '../shared/errors.ts';
import type { Api, Caller, Handlers } from '../shared/rpc/server.ts';
import type { AuditEntries } from './audit/audit-log.ts';
import type { TextRedactor } from './terminals/redaction.ts';

type Guards = Pick<AuditEntries, 'through'> & {
  redact: TextRedactor;
  /** Requests wait for it, and fail with what it fails with. */
  ready(): Promise<void>;
};

/** The same requests: the audit log knows by which door each came, and what they fail with shows no secret. */
export function guardApi(api: Api, { redact, through, ready }: Guards): Api {
  const guard = (name: RequestName) => {
    const handler = api.handlers[name] as (params: unknown, caller: Caller) => unknown;
    return async (params: unknown, caller: Caller): Promise<unknown> => {
      try {
        await ready();
        return await through(caller.kind, () => handler(params, caller));
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
