import { setImmediate as nextTurn } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { entry, someTasks } from './testing/some-thread.ts';
import { createThread } from './thread.ts';

const thread = (at = entry) => createThread({ entry: async () => at, load: async () => someTasks });

describe('a thread', () => {
  it('leaves the loop of its caller free while it is busy', async () => {
    const memory = new SharedArrayBuffer(4);
    const begun = Promise.withResolvers<void>();
    const answer = thread().ask('block', { memory }, { onProgress: () => begun.resolve() });
    await begun.promise;
    // Only a turn of this loop can free it: on this thread it would wait for ever.
    await nextTurn();
    Atomics.store(new Int32Array(memory), 0, 7);
    Atomics.notify(new Int32Array(memory), 0);
    expect(await answer).toBe(7);
  });

  it('carries an error with its code and data', async () => {
    await expect(thread().ask('refuse', { file: 'a.json' })).rejects.toMatchObject({
      name: 'HeadwayError',
      code: 'bad-input',
      message: 'a.json is wrong',
      data: { file: 'a.json' },
    });
  });

  it('tells the task of an abort, and asks nothing of one that was aborted before', async () => {
    const mine = thread();
    const controller = new AbortController();
    const said: string[] = [];
    const ended = mine.ask(
      'wait',
      {},
      {
        signal: controller.signal,
        onProgress: (text) => {
          said.push(text);
          controller.abort();
        },
      },
    );
    await expect(ended).rejects.toMatchObject({ code: 'cancelled', message: 'told to end' });
    await expect(mine.ask('wait', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(said).toEqual(['waits']);
  });

  it('that ends in the middle fails what it did, and the next one is another thread', async () => {
    const mine = thread();
    await expect(mine.ask('crash', {})).rejects.toMatchObject({ code: 'internal' });
    expect(await mine.ask('where', {})).not.toEqual({ thread: threadId });
  });

  it('that can not be started is done without', async () => {
    const nowhere = { ...entry, file: `${entry.file}.gone` };
    expect(await thread(nowhere).ask('where', {})).toEqual({ thread: threadId });
  });
});
