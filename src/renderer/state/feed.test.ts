import { afterEach, describe, expect, it } from 'vitest';
import type { AnyEvent, Snapshot } from '../../shared/contract.ts';
import type { HeadwayClient } from '../../shared/rpc/client.ts';
import { testJob, testSnapshot } from '../test-data.ts';
import { startFeed } from './feed.ts';
import { engineStore } from './store.ts';

/** A client whose snapshots are answered by hand. */
class FakeClient {
  readonly asked: ((snapshot: Snapshot) => void)[] = [];
  #event: (event: AnyEvent) => void = () => {};
  #status: (status: 'connecting' | 'open' | 'closed', why?: string) => void = () => {};

  readonly client = {
    request: () => new Promise((resolve) => this.asked.push(resolve as (snapshot: Snapshot) => void)),
    onEvent: (listener: (event: AnyEvent) => void) => {
      this.#event = listener;
      return () => {};
    },
    onStatus: (listener: (status: 'connecting' | 'open' | 'closed', why?: string) => void) => {
      this.#status = listener;
      return () => {};
    },
  } as unknown as HeadwayClient;

  event(seq: number, id: string): void {
    this.#event({ name: 'job.changed', payload: testJob(id), seq });
  }

  status(status: 'connecting' | 'open' | 'closed', why?: string): void {
    this.#status(status, why);
  }

  async answer(seq: number, ids: readonly string[] = []): Promise<void> {
    this.asked.shift()?.(testSnapshot({ seq, jobs: ids.map((id) => testJob(id)) }));
    await Promise.resolve();
    await Promise.resolve();
  }
}

let stop: (() => void) | undefined;
afterEach(() => {
  stop?.();
  engineStore.setState({ connection: 'connecting', model: undefined, loadError: undefined });
});

function start(): { fake: FakeClient; reopened: () => number; notices: string[] } {
  const fake = new FakeClient();
  const notices: string[] = [];
  let reopened = 0;
  stop = startFeed(fake.client, {
    notice: ({ text }) => notices.push(text),
    reconnected: () => {
      reopened += 1;
    },
    schedule: (flush) => flush(),
  });
  return { fake, reopened: () => reopened, notices };
}

const jobIds = (): string[] => [...(engineStore.getState().model?.jobs.keys() ?? [])];

describe('the feed', () => {
  it('holds events that arrive before the snapshot and applies those that it lacks', async () => {
    const { fake } = start();
    fake.status('open');
    fake.event(5, 'old');
    fake.event(6, 'new');
    await fake.answer(5, ['old']);
    expect(jobIds()).toEqual(['old', 'new']);
  });

  it('takes a new snapshot at a gap and goes on from there', async () => {
    const { fake } = start();
    fake.status('open');
    await fake.answer(1);
    fake.event(3, 'after-gap');
    expect(fake.asked).toHaveLength(1);
    fake.event(4, 'later');
    await fake.answer(3, ['lost', 'after-gap']);
    expect(jobIds()).toEqual(['lost', 'after-gap', 'later']);
  });

  it('shows why Headway ended the connection, where it says so', () => {
    const { fake, notices } = start();
    fake.status('open');
    fake.status('closed', 'This page took nothing.');
    fake.status('connecting');
    fake.status('closed');
    expect(notices).toEqual(['This page took nothing.']);
  });

  it('keeps what it knows while the connection is lost, then starts from a new snapshot', async () => {
    const { fake, reopened } = start();
    fake.status('open');
    await fake.answer(50, ['a']);
    fake.status('closed');
    expect(engineStore.getState().connection).toBe('closed');
    expect(jobIds()).toEqual(['a']);
    fake.status('open');
    // A restarted engine counts from the beginning again.
    await fake.answer(2, ['b']);
    expect(jobIds()).toEqual(['b']);
    expect(reopened()).toBe(1);
  });
});
