import type { Job, Repository, Settings, Slot } from '../../shared/domain.ts';
import type { AuditEntry } from './audit-chain.ts';
import type { AttemptEnd, Effect, Lease } from './store.ts';

/** A change that somebody may ask about later. Written down by the transaction that makes it, or neither is. */
export type StoreChange =
  | { what: 'submitted'; job: Job }
  | { what: 'claimed'; job: Job; lease: Lease }
  | { what: 'ended'; job: Job; end: AttemptEnd }
  | { what: 'taken-over'; job: Job }
  /** A person asked for it. */
  | { what: 'decided'; action: string; before: Job; job: Job }
  | { what: 'intended'; effect: Effect; job: Job }
  | { what: 'settled'; key: string; state: 'done' | 'failed'; repoId: string | undefined }
  | { what: 'slot-made' | 'slot-removed'; slot: Slot }
  | { what: 'registered'; before: Repository | undefined; repository: Repository }
  | { what: 'unregistered'; repository: Repository }
  | { what: 'settings'; before: Partial<Settings>; after: Settings };

/** What the audit log gets of a change. Called inside its transaction: where it throws, nothing is changed. */
export type Auditor = (change: StoreChange) => readonly AuditEntry[];
