import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditRecords } from '../store/store.ts';
import type { TextRedactor } from '../terminals/redaction.ts';
import type { AuditEntry } from './chain.ts';

type Done = Pick<AuditEntry, 'action' | 'subject' | 'text' | 'repoId' | 'jobId'>;

/** Writes down who did what. Never throws and is never waited for; what cannot be written is a problem told. */
export interface AuditLog {
  /** What a person did, by the door that the call came through. */
  person(done: readonly Done[]): void;
  /** What a runner did by itself. */
  runner(done: readonly Done[]): void;
  /** Everything that `body` does comes through this door. */
  through<T>(via: string, body: () => T): T;
}

/** How callers are called; in-process ones are commands. */
const DOORS: Readonly<Record<string, string>> = { window: 'window', page: 'page', http: 'http' };

const SHORT = 500;
const MOST = 2000;

export function createAuditLog(options: {
  records: AuditRecords;
  redact: TextRedactor;
  user: string | undefined;
  now(): number;
  onProblem(thrown: unknown): void;
}): AuditLog {
  const door = new AsyncLocalStorage<string>();
  const write = (who: string, via: string, done: readonly Done[]): void => {
    if (done.length === 0) return;
    const at = options.now();
    const entries = done.slice(0, MOST).map(({ action, repoId, jobId, subject, text }) => ({
      ...{ at, who, via, action, repoId, jobId },
      subject: options.redact.text(subject).slice(0, SHORT),
      text: options.redact.text(text).slice(0, SHORT),
    }));
    options.records.append(entries).catch(options.onProblem);
  };
  return {
    person: (done) =>
      write(options.user ?? 'unknown', DOORS[door.getStore() ?? 'in-process'] ?? 'command line', done),
    runner: (done) => write('headway', 'runner', done),
    through: (via, body) => door.run(via, body),
  };
}
