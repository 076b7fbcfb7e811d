import { openSqliteStore } from '../../src/main/store/sqlite/sqlite-store.ts';
import type { NewJob } from '../../src/main/store/store.ts';
import { queuedJob } from '../../src/main/store/testing/queued-job.ts';
import type { Peer } from './measure.ts';

const RUNNER = 'bench';

function job(index: number): NewJob {
  const id = `j-${index}`;
  const { ticket, ...plain } = queuedJob(id);
  return {
    ...plain,
    ticket: { ...ticket, title: 'Parse quoted fields', text: 'x'.repeat(360) },
    claim: { kind: 'paths', paths: [`src/${index}.ts`], from: 'declared' },
  };
}

/** Headway's own store: claim, effect intended, effect settled and attempt ended. */
export const headwayLoop: Peer = async (file, queued) => {
  const store = openSqliteStore(file);
  await store.jobs.insert(Array.from({ length: queued }, (_, index) => job(index)));
  const running = new Set<string>();
  let next = 0;
  return {
    async work() {
      const id = `j-${next++}`;
      const atMs = Date.now();
      running.add(id);
      const claimed = await store.jobs.claim(id, { runnerId: RUNNER, atMs, knownRunning: running });
      if (!claimed) throw new Error(`${id} was not handed out`);
      const { lease } = claimed;
      const key = `merge:${id}:1`;
      const data = { repoId: 'r', base: 'main', expected: '0', commit: '1' };
      const effect = { key, jobId: id, kind: 'merge', state: 'intended', data, createdAt: atMs } as const;
      if (!(await store.effects.intend(effect, lease))) throw new Error(`${id} lost its lease`);
      // What was done and what it means for the job, asked for together.
      const settled = store.effects.settle(key, 'done', data, atMs);
      const ended = store.jobs.update(
        lease,
        { state: 'merged', verdict: 'green', stage: undefined, endedAt: atMs },
        { outcome: 'merged', atMs },
      );
      await Promise.all([settled, ended]);
      running.delete(id);
      return id;
    },
    async close() {
      await store[Symbol.asyncDispose]();
    },
  };
};
