import { describe, expect, it } from 'vitest';
import type { AnyEvent } from '../../shared/contract.ts';
import type { Api, Caller } from '../../shared/rpc/server.ts';
import { createTextRedactor } from '../redaction/redaction.ts';
import { guardApi } from './guard-api.ts';

const SECRET = `odd${'Zq9w'.repeat(6)}`;
const caller: Caller = { kind: 'http' };

/** An engine that says the secret wherever it can. */
function guarded(): { api: Api; send(event: AnyEvent): void; called: string[] } {
  const listeners = new Set<(event: AnyEvent) => void>();
  const called: string[] = [];
  const job = { ticket: { text: `use ${SECRET}`, paths: [`src/${SECRET}.ts`] }, files: [`src/${SECRET}.ts`] };
  const api = {
    handlers: {
      'job.get': () => ({ job, path: `/home/${SECRET}` }),
      'job.diff': () => ({ patch: `+${SECRET}` }),
      'job.hold': () => {
        throw new Error(`no ${SECRET}`);
      },
    },
    onEvent(listener: (event: AnyEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Api;
  const through = <T>(door: string, action: () => T): T => {
    called.push(door);
    return action();
  };
  return {
    api: guardApi(api, { redact: createTextRedactor([SECRET]), through, ready: async () => undefined }),
    send: (event) => {
      for (const listener of listeners) listener(event);
    },
    called,
  };
}

describe('what the engine hands out', () => {
  it('shows no secret in an answer, but for what a caller has to name again', async () => {
    const { api, called } = guarded();
    expect(await api.handlers['job.get']({ jobId: 'j' }, caller)).toEqual({
      job: {
        ticket: { text: 'use odd[redacted]', paths: ['src/odd[redacted].ts'] },
        files: ['src/odd[redacted].ts'],
      },
      path: `/home/${SECRET}`,
    });
    expect(called).toEqual(['http']);
  });

  it('hands over the content of files as it lies there', async () => {
    expect(await guarded().api.handlers['job.diff']({ jobId: 'j' }, caller)).toEqual({ patch: `+${SECRET}` });
  });

  it('shows none in an error', async () => {
    await expect(guarded().api.handlers['job.hold']({ jobId: 'j' }, caller)).rejects.toThrow(
      'no odd[redacted]',
    );
  });

  it('looks an event through once, whoever listens', () => {
    const { api, send } = guarded();
    const seen: AnyEvent[] = [];
    for (let count = 0; count < 2; count += 1) api.onEvent((event) => seen.push(event));
    send({ name: 'notice', payload: { level: 'info', text: SECRET, at: 1 }, seq: 7 });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  it('shows none in an event, and stops sending when nobody listens', () => {
    const { api, send } = guarded();
    const seen: AnyEvent[] = [];
    const stop = api.onEvent((event) => seen.push(event));
    const event = { name: 'notice', payload: { level: 'info', text: SECRET, at: 1 }, seq: 7 } as const;
    send(event);
    stop();
    send(event);
    expect(seen).toEqual([{ ...event, payload: { level: 'info', text: 'odd[redacted]', at: 1 } }]);
  });
});
