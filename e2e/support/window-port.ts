import type { Page } from '@playwright/test';

/**
 * Speaks the contract from inside a desktop window, by hand, beside the interface that runs there. The interface may
 * take the same port if it connects at the same time, so ids are far from its own and the port stays open.
 */
type Conversation = {
  send: object[];
  bytesFor?: { sessionId: string; text: string };
  until: string;
  id: number;
};

let lastId = 1_000_000;

/** The answer to one request: its result, or its error. */
export async function askEngine(page: Page, name: string, params: unknown): Promise<unknown> {
  lastId += 1;
  const frame = { type: 'request', id: lastId, name, params };
  const replies = await converse(page, { send: [frame], until: '"type":"reply"', id: lastId });
  const reply = JSON.parse(replies) as { ok: boolean; value: unknown; error: unknown };
  return reply.ok ? reply.value : reply.error;
}

/** Opens a session, types a text, and gives all output up to what is waited for (a regular expression's source). */
export async function typeIntoSession(
  page: Page,
  sessionId: string,
  text: string,
  until: string,
): Promise<string> {
  lastId += 1;
  const send = [{ type: 'open', stream: lastId, sessionId }];
  return await converse(page, { send, bytesFor: { sessionId, text }, until, id: lastId });
}

function converse(page: Page, conversation: Conversation): Promise<string> {
  return page.evaluate(
    ({ send, bytesFor, until, id }) =>
      new Promise<string>((resolve, reject) => {
        let received = '';
        window.addEventListener('message', function take(event) {
          const port = event.ports[0];
          if (event.data?.type !== 'headway-port' || !port) return;
          window.removeEventListener('message', take);
          port.addEventListener('message', ({ data }) => {
            if (data.id !== id && data.stream !== id) return;
            if (data.type === 'end') reject(new Error(`the session ended: ${received}`));
            received += data.type === 'data' ? new TextDecoder().decode(data.bytes) : JSON.stringify(data);
            if (data.type === 'data')
              port.postMessage({ type: 'ack', stream: id, bytes: data.bytes.byteLength });
            if (new RegExp(until).test(received)) resolve(received);
          });
          port.start();
          for (const frame of send) port.postMessage(frame);
          if (!bytesFor) return;
          const bytes = new TextEncoder().encode(bytesFor.text);
          port.postMessage({ type: 'input', sessionId: bytesFor.sessionId, bytes });
        });
        const { headway } = window as unknown as { headway: { connect(): Promise<void> } };
        headway.connect().catch(reject);
      }),
    conversation,
  );
}
