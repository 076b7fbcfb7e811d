import { AsyncLocalStorage } from 'node:async_hooks';
import type { TextRedactor } from '../redaction/redaction.ts';
import type { AuditEntry } from '../store/audit-chain.ts';
import type { AuditRecords } from '../store/store.ts';

export type Done = Pick<AuditEntry, 'action' | 'subject' | 'text' | 'repoId' | 'jobId'>;

/** Makes entries of what was done: who, when, by which door, and no secret in it. */
export interface AuditEntries {
  /** What a person did, by the door that the call came through. */
  person(done: readonly Done[]): AuditEntry[];
  /** What a runner did by itself. */
  runner(done: readonly Done[]): AuditEntry[];
  /** Everything that `body` does comes through this door. */
  through<T>(via: string, body: () => T): T;
}

/** How callers are called; in-process ones are commands. */
const DOORS: Readonly<Record<string, string>> = { window: 'window', page: 'page', http: 'http' };

const SHORT = 500;

export function createAuditEntries(options: {
  redact: TextRedactor;
  user: string | undefined;
  now(): number;
}): AuditEntries {
  const door = new AsyncLocalStorage<string>();
  const make = (who: string, via: string, done: readonly Done[]): AuditEntry[] => {
    const at = options.now();
    return done.map(({ action, repoId, jobId, subject, text }) => ({
      ...{ at, who, via, action, repoId, jobId },
      subject: options.redact.text(subject).slice(0, SHORT),
      text: options.redact.text(text).slice(0, SHORT),
    }));
  };
  return {
    person: (done) =>
      make(options.user ?? 'unknown', DOORS[door.getStore() ?? 'in-process'] ?? 'command line', done),
    runner: (done) => make('headway', 'runner', done),
    through: (via, body) => door.run(via, body),
  };
}

/**
 * Writes down what people do outside of the store, such as with kept work; what changes the store is written by the change
 * itself. Never throws and is never waited for; what cannot be written is a problem told.
 */
export interface AuditLog {
  person(done: readonly Done[]): void;
}

export function createAuditLog(options: {
  records: AuditRecords;
  entries: AuditEntries;
  onProblem(thrown: unknown): void;
}): AuditLog {
  return {
    person(done) {
      options.records.append(options.entries.person(done)).catch(options.onProblem);
    },
  };
}
