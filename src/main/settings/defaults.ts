import { availableParallelism } from 'node:os';
import type { Settings } from '../../shared/domain.ts';
import { MINUTE_MS } from '../../shared/time.ts';

const GIB = 1024 ** 3;

export const VERSION = '0.1.0';

export const DEFAULT_SETTINGS: Settings = {
  maxJobs: 4,
  maxJobsPerRepository: 4,
  maxQueued: 1000,
  maxAttempts: 3,
  agentTimeoutMs: 60 * MINUTE_MS,
  // A model on this machine may have to be loaded from disk before its first word.
  agentStartMs: 5 * MINUTE_MS,
  defaultAgent: 'claude-code',
  maxInstalls: Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2))),
  maxGateSteps: availableParallelism(),
  slotDiskBytes: 20 * GIB,
  transcriptDays: 30,
  transcriptBytes: 2 * GIB,
  copyOnSelect: false,
  editor: 'code {path}',
};
