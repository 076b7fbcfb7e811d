import type { AnyEvent, RequestName, Snapshot } from '../../shared/contract.ts';
import { fromPlainError, toPlainError } from '../../shared/errors.ts';
import type { Api, Caller, Handlers } from '../../shared/rpc/server.ts';
import type { AuditEntries } from '../audit/audit-log.ts';
import type { TextRedactor } from '../redaction/redaction.ts';

type Guards = Pick<AuditEntries, 'through'> & {
  redact: TextRedactor;
  /** Requests wait for it, and fail with what it fails with. */
  ready(): Promise<void>;
};

/** What a window sends back to say which one it means: it has to be what it was. */
const ADDRESSES = new Set(['path', 'gitDir', 'ref', 'base', 'branch', 'branches']);

/** These hand over the content of files, for a person to read as it lies there or to send it back. */
const CONTENTS = new Set<RequestName>(['job.diff', 'sample.create']);

/**
 * The same requests and events: the audit log knows by which door each request came, and no answer, error or event shows a
 * secret, whoever had written it.
 */
export function guardApi(api: Api, { redact, through, ready }: Guards): Api {
  // Every page that comes asks for all jobs, and most of them are what they were for the page before.
  const snapshotOf = ({ jobs, ...rest }: Snapshot): Snapshot => ({
    ...redact.value(rest, ADDRESSES),
    jobs: redact.rows(jobs, ADDRESSES),
  });
  let last: { of: AnyEvent; told: AnyEvent } | undefined;
  /** One event for all who listen: looked through once, and the same object for each of them. */
  const tell = (event: AnyEvent): AnyEvent => {
    if (last?.of !== event) {
      const payload =
        event.name === 'job.changed'
          ? redact.rows([event.payload], ADDRESSES)[0]
          : redact.value(event.payload, ADDRESSES);
      last = { of: event, told: { ...event, payload } as AnyEvent };
    }
    return last.told;
  };
  const guard = (name: RequestName) => {
    const handler = api.handlers[name] as (params: unknown, caller: Caller) => unknown;
    return async (params: unknown, caller: Caller): Promise<unknown> => {
      try {
        await ready();
        const answer = await through(caller.kind, () => handler(params, caller));
        if (name === 'app.snapshot') return snapshotOf(answer as Snapshot);
        return CONTENTS.has(name) ? answer : redact.value(answer, ADDRESSES);
      } catch (thrown) {
        throw fromPlainError(redact.value(toPlainError(thrown)));
      }
    };
  };
  const names = Object.keys(api.handlers) as RequestName[];
  return {
    ...api,
    onEvent: (listener) => api.onEvent((event) => listener(tell(event))),
    handlers: Object.fromEntries(names.map((name) => [name, guard(name)])) as unknown as Handlers,
  };
}
