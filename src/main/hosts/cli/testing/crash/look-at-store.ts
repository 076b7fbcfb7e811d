import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Faults } from './faults.ts';

type Row = Record<string, unknown>;

function withDatabase<T>(file: string, look: (all: (sql: string) => Row[]) => T): T {
  const db = new Database(file, { readonly: true, timeout: 10_000 });
  try {
    return look((sql) => db.prepare<[], Row>(sql).all());
  } finally {
    db.close();
  }
}

/** At any moment: the file is whole, and what was reported as merged still is. */
export function lookAtFile(file: string, reported: ReadonlySet<string>, faults: Faults): void {
  if (!existsSync(file)) return;
  withDatabase(file, (all) => {
    const check = all('PRAGMA integrity_check').map((row) => String(row.integrity_check));
    if (check.join() !== 'ok') faults.add('lost', `the database is damaged: ${check.join('; ')}`);
    if (all("SELECT 1 FROM sqlite_master WHERE name = 'job'").length === 0) return;
    const merged = new Set(all("SELECT id FROM job WHERE state = 'merged'").map((row) => String(row.id)));
    for (const job of reported)
      if (!merged.has(job)) faults.add('lost', `job ${job} was reported as merged and is not recorded`);
  });
}

/** After a round: every ticket is one job that ended once, and no row names a runner, holder or effect any more. */
export function lookAtStore(file: string, tickets: readonly string[], faults: Faults): Map<string, string> {
  return withDatabase(file, (all) => {
    const jobs = all("SELECT id, state, attempts, json_extract(data, '$.ticket.id') AS ticket FROM job");
    const found = new Map<string, string>();
    for (const ticket of tickets) {
      const mine = jobs.filter((job) => job.ticket === ticket);
      if (mine.length > 1) faults.add('twice', `${ticket} became ${mine.length} jobs`);
      const [job] = mine;
      if (!job) {
        faults.add('lost', `${ticket} became no job`);
        continue;
      }
      found.set(ticket, String(job.id));
      if (job.state !== 'merged') faults.add('lost', `${ticket} ended ${job.state}`);
      const outcomes = all(`SELECT data FROM attempt WHERE job_id = '${job.id}'`).map(
        (row) => (JSON.parse(String(row.data)) as { outcome?: string }).outcome,
      );
      const merged = outcomes.filter((outcome) => outcome === 'merged').length;
      if (merged > 1) faults.add('twice', `${ticket} has ${merged} attempts that merged`);
      if (merged === 0) faults.add('lost', `${ticket} has no attempt that merged: ${outcomes.join(', ')}`);
      if (outcomes.includes(undefined)) faults.add('left behind', `${ticket} has an attempt without an end`);
    }
    for (const row of all('SELECT id, state, data FROM slot')) {
      const holder = JSON.parse(String(row.data)) as { jobId?: string; runnerId?: string; reason?: string };
      if (row.state !== 'ready' || holder.jobId !== undefined)
        faults.add(
          'left behind',
          `slot ${row.id} is ${row.state} (${holder.jobId ?? holder.reason ?? 'held by nobody'})`,
        );
    }
    for (const row of all('SELECT id, pid FROM runner'))
      faults.add('left behind', `runner ${row.id} of process ${row.pid}`);
    for (const row of all("SELECT key FROM effect WHERE state = 'intended'"))
      faults.add('left behind', `effect ${row.key} is open`);
    for (const row of all('SELECT name, job_id FROM lock'))
      faults.add('left behind', `lock ${row.name} of ${row.job_id}`);
    for (const row of all("SELECT id FROM session WHERE json_extract(data, '$.state') = 'live'"))
      faults.add('left behind', `session ${row.id} is live`);
    return found;
  });
}
