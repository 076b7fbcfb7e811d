import type { Snapshot } from '../shared/contract.ts';
import type { Job, Session } from '../shared/domain.ts';

/** Rows for unit tests; only what a test names differs from these. */

export function testJob(id: string, overrides: Partial<Job> = {}): Job {
  return {
    id,
    repoId: 'r',
    ticket: {
      id: id.toUpperCase(),
      title: `Title of ${id}`,
      text: '',
      dependsOn: [],
      related: [],
      priority: 'batch',
    },
    claim: { kind: 'everything', why: 'names no path' },
    agent: 'scripted',
    base: 'main',
    batchId: 'batch',
    order: 0,
    state: 'queued',
    attempts: 0,
    files: [],
    strayed: [],
    stages: {},
    createdAt: 0,
    queuedAt: 0,
    queuedMs: 0,
    seq: 1,
    ...overrides,
  };
}

export function testSession(id: string, overrides: Partial<Session> = {}): Session {
  return {
    id,
    kind: 'job',
    repoId: 'r',
    title: id,
    interactive: false,
    state: 'live',
    createdAt: 0,
    ...overrides,
  };
}

export function testSnapshot(overrides: Partial<Snapshot> = {}): Snapshot {
  return {
    seq: 0,
    version: '0',
    platform: 'linux',
    home: '/home',
    repositories: [],
    jobs: [],
    queue: [],
    slots: [],
    sessions: [],
    settings: {
      maxJobs: 4,
      maxJobsPerRepository: 4,
      maxAttempts: 3,
      agentTimeoutMs: 60_000,
      agentStartMs: 300_000,
      defaultAgent: 'scripted',
      maxInstalls: 1,
      maxGateSteps: 2,
      maxQueued: 1000,
      slotDiskBytes: 20 * 1024 ** 3,
      transcriptDays: 30,
      transcriptBytes: 2 * 1024 ** 3,
      copyOnSelect: false,
      editor: 'code {path}',
    },
    agents: [],
    ...overrides,
  };
}
