import type { NewJob } from '../store.ts';

/** A job of repository `r` that has not run, for tests and measurements of the store. */
export function queuedJob(id: string, more: Partial<NewJob> = {}): NewJob {
  return {
    id,
    key: `key ${id}`,
    repoId: 'r',
    ticket: { id, title: id, text: 'x', dependsOn: [], related: [], priority: 'batch' },
    claim: { kind: 'paths', paths: [id], from: 'declared' },
    agent: 'scripted',
    base: 'main',
    batchId: 'b',
    state: 'queued',
    attempts: 0,
    files: [],
    strayed: [],
    stages: {},
    createdAt: 1,
    queuedAt: 1,
    queuedMs: 0,
    ...more,
  };
}
