import type { Slot } from '../../shared/domain.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Proofs } from '../gate-runs/proofs.ts';
import type { InteractiveSessions } from '../jobs/interactive.ts';
import type { JobPorts } from '../jobs/ports.ts';
import type { SubmissionPorts } from '../jobs/submission/submission.ts';
import type { RepositoryRegistry } from '../repositories/registry.ts';
import type { RunnerIdentity } from '../runners/runner.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import type { Home } from '../settings/home.ts';
import type { LiveSettings } from '../settings/settings.ts';
import type { SlotPool } from '../slots/pool/pool.ts';
import type { Store } from '../store/store.ts';
import type { SessionHub } from '../terminals/session-hub.ts';
import type { EventBus } from './events.ts';
import type { GaugePump } from './gauges.ts';

/** The engine's inside, for what is built on it in the same process. */
export type EngineParts = {
  home: Home;
  store: Store;
  audit: AuditLog;
  bus: EventBus;
  pool: SlotPool;
  hub: SessionHub;
  runner: RunnerIdentity;
  scheduler: Scheduler;
  repositories: RepositoryRegistry;
  interactive: InteractiveSessions;
  proofs: Proofs;
  jobPorts: JobPorts;
  submissionPorts: SubmissionPorts;
  slots: ReadonlyMap<string, Slot>;
  settings: LiveSettings;
  gauges: GaugePump;
  pickFolder: (() => Promise<string | undefined>) | undefined;
  now(): number;
};
