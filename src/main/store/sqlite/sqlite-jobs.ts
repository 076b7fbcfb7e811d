import { type Attempt, attemptSchema, type Job, type JobState } from '../../../shared/domain.ts';
import type { JobChange, JobRecords, Lease, NewJob } from '../store.ts';
import type { StoreChange } from '../store-change.ts';
import { isUnreadable, JobRows, jobData } from './job-rows.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { leaseHolds } from './sqlite-leases.ts';
import { problemOf } from './unreadable.ts';

type Row = Record<string, unknown>;

/** A merged job is never put back: it is done. */
const AGAIN_FROM: readonly JobState[] = ['failed', 'cancelled'];
const COLUMNS = 'id, repo_id, place, seq, state, attempts, data';

/** `find` reads one job inside a transaction that runs; `trust` is called inside one. */
export function sqliteJobs(
  db: SqliteConnection,
  tell: (change: StoreChange) => void,
  trust: (repoId: string, hash: string) => void,
): { records: JobRecords; find(jobId: string): Job | undefined } {
  const rows = new JobRows();
  const readJob = (row: Row): Job => rows.read(row);

  const next = (name: 'seq' | 'order'): number =>
    Number(db.get('UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value', name)?.value);

  const countQueued = (): number =>
    Number(db.get("SELECT count(*) AS count FROM job WHERE state = 'queued'")?.count);

  const openOf = (key: string): Job | undefined => {
    const rows = db.all(
      `SELECT ${COLUMNS} FROM job WHERE key = ? AND state IN ('queued', 'running', 'held') ORDER BY place DESC`,
      key,
    );
    return newestReadable(rows);
  };
  const newestReadable = (rows: readonly Row[]): Job | undefined =>
    rows.map(readJob).find((job) => !isUnreadable(job));

  /** Open jobs of the tickets of these; each ticket is looked up in the index `job_ticket`, which these words have to match. */
  const openOfTickets = (jobs: readonly Pick<Job, 'repoId' | 'ticket'>[]): Job[] => {
    const ids = jobs.flatMap(({ repoId, ticket }) =>
      db.all(
        `SELECT id FROM job
         WHERE repo_id = ? AND CASE WHEN json_valid(data) THEN json_extract(data, '$.ticket.id') END = ?
           AND state IN ('queued', 'running', 'held')`,
        repoId,
        ticket.id,
      ),
    );
    const open = [...new Set(ids.map(({ id }) => String(id)))].flatMap((id) => find(id) ?? []);
    return open.filter((job) => !isUnreadable(job));
  };

  /** The open job of the same key, or a new one. */
  const add = (fresh: NewJob): Job => openOf(fresh.key) ?? addNew(fresh);

  const addNew = ({ key, ...job }: NewJob): Job => {
    const saved: Job = { ...job, order: next('order'), seq: next('seq') };
    db.run(
      'INSERT INTO job (id, repo_id, key, place, seq, state, attempts, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      saved.id,
      saved.repoId,
      key,
      saved.order,
      saved.seq,
      saved.state,
      saved.attempts,
      jobData(saved),
    );
    tell({ what: 'submitted', job: saved });
    return saved;
  };

  const find = (jobId: string): Job | undefined => {
    const row = db.get(`SELECT ${COLUMNS} FROM job WHERE id = ?`, jobId);
    return row && readJob(row);
  };

  /** What cannot be read stays as it is: only the columns beside it change. */
  const saveColumns = (job: Job, { state = job.state }: JobChange): Job => {
    const seq = next('seq');
    db.run(
      "UPDATE job SET seq = ?, state = ?, runner_id = CASE ? WHEN 'running' THEN runner_id END WHERE id = ?",
      seq,
      state,
      state,
      job.id,
    );
    return find(job.id) ?? job;
  };

  const save = (job: Job, change: JobChange, runnerId?: string): Job => {
    if (isUnreadable(job)) return saveColumns(job, change);
    const saved: Job = { ...job, ...change, seq: next('seq') };
    const data = jobData(saved);
    // Only a running job has a runner.
    db.run(
      `UPDATE job SET seq = ?, state = ?, attempts = ?, data = ?,
       runner_id = CASE ? WHEN 'running' THEN ifnull(?, runner_id) END WHERE id = ?`,
      saved.seq,
      saved.state,
      saved.attempts,
      data,
      saved.state,
      runnerId ?? null,
      saved.id,
    );
    rows.remember(saved, data);
    return saved;
  };

  const holds = (lease: Lease): boolean => leaseHolds(db, lease);

  const saveAttempt = (attempt: Attempt): void => {
    db.run(
      'INSERT INTO attempt (job_id, number, data) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data',
      attempt.jobId,
      attempt.number,
      JSON.stringify(attempt),
    );
  };
  /** One that cannot be read is told by its number, and stays as it is. */
  const readAttempt = (jobId: string, number: number, data: unknown): Attempt => {
    let why = 'it is no JSON';
    try {
      const parsed = attemptSchema.safeParse(JSON.parse(String(data)));
      if (parsed.success) return parsed.data;
      why = problemOf(parsed.error);
    } catch {}
    const cause = { code: 'unreadable', why } as const;
    return { jobId, number, runnerId: 'unknown', startedAt: 0, stages: [], gates: [], cause };
  };
  const changeAttempt = (jobId: string, number: number, change: Partial<Attempt>): void => {
    const row = db.get('SELECT data FROM attempt WHERE job_id = ? AND number = ?', jobId, number);
    const attempt = row && readAttempt(jobId, number, row.data);
    if (attempt && attempt.cause?.code !== 'unreadable') saveAttempt({ ...attempt, ...change });
  };

  const running = (runnerIds: readonly string[]): Job[] =>
    db
      .all(`SELECT ${COLUMNS}, runner_id FROM job WHERE state = 'running'`)
      .filter((row) => runnerIds.includes(String(row.runner_id)))
      .map(readJob);

  const records: JobRecords = {
    async changedSince(seq) {
      return db.all(`SELECT ${COLUMNS} FROM job WHERE seq > ? ORDER BY seq`, seq).map(readJob);
    },
    async get(jobId) {
      return find(jobId);
    },
    async byKey(key) {
      return newestReadable(db.all(`SELECT ${COLUMNS} FROM job WHERE key = ? ORDER BY place DESC`, key));
    },
    insert(jobs) {
      return db.write(() => jobs.map(add));
    },
    submit(jobs, again, rules) {
      return db.write(() => {
        const fresh = jobs.filter(({ key }) => !openOf(key));
        const reopened = again.flatMap(({ jobId, change }) => {
          const job = find(jobId);
          return job && AGAIN_FROM.includes(job.state) ? [{ job, change }] : [];
        });
        for (const other of openOfTickets([...fresh, ...reopened.map(({ job }) => job)])) {
          save(other, rules.giveWay(other));
        }
        rules.room(countQueued(), fresh.length);
        if (rules.trust) trust(rules.trust.repoId, rules.trust.hash);
        for (const { job, change } of reopened) save(job, change);
        const kept = again.flatMap(({ jobId }) => find(jobId) ?? []);
        return [...jobs.map(add), ...kept];
      });
    },
    claim(jobId, { runnerId, atMs, knownRunning }) {
      return db.write(() => {
        const running = db.all("SELECT id FROM job WHERE state = 'running'");
        if (running.some((row) => !knownRunning.has(String(row.id)))) return undefined;
        const job = find(jobId);
        if (job?.state !== 'queued') return undefined;
        const attempts = job.attempts + 1;
        const claimed = save(
          { ...job, attempts },
          {
            state: 'running',
            stage: 'slot',
            cause: undefined,
            verdict: undefined,
            stages: {},
            startedAt: atMs,
            endedAt: undefined,
            notBeforeAt: undefined,
            queuedMs: job.queuedMs + Math.max(0, atMs - job.queuedAt),
          },
          runnerId,
        );
        saveAttempt({ jobId, number: attempts, runnerId, startedAt: atMs, stages: [], gates: [] });
        const lease = { jobId, attempt: attempts, runnerId };
        tell({ what: 'claimed', job: claimed, lease });
        return { job: claimed, lease };
      });
    },
    async lost(leases) {
      return leases.filter((lease) => !holds(lease));
    },
    update(lease, change, end) {
      return db.write(() => {
        const job = holds(lease) ? find(lease.jobId) : undefined;
        if (!job) return undefined;
        const saved = save(job, change);
        if (end) {
          changeAttempt(job.id, lease.attempt, {
            outcome: end.outcome,
            endedAt: end.atMs,
            cause: end.cause ?? saved.cause,
          });
          tell({ what: 'ended', job: saved, end });
        }
        return saved;
      });
    },
    transition(jobId, from: readonly JobState[], change, action) {
      return db.write(() => {
        const job = find(jobId);
        if (!job || !from.includes(job.state)) return undefined;
        if (job.state === 'running' && change.state !== undefined && change.state !== 'running') {
          changeAttempt(jobId, job.attempts, {
            outcome: change.state === 'cancelled' ? 'cancelled' : 'held',
            endedAt: change.endedAt ?? Date.now(),
            cause: change.cause,
          });
        }
        const saved = save(job, change);
        if (action !== undefined) tell({ what: 'decided', action, before: job, job: saved });
        return saved;
      });
    },
    async ofRunners(runnerIds) {
      return running(runnerIds);
    },
    takeOver(runnerIds, nowMs, why = 'its process ended') {
      return db.write(() =>
        running(runnerIds).map((job) => {
          changeAttempt(job.id, job.attempts, { outcome: 'lost', endedAt: nowMs });
          const taken = save(job, {
            state: 'queued',
            stage: undefined,
            cause: { code: 'runner-lost', why },
            queuedAt: nowMs,
          });
          tell({ what: 'taken-over', job: taken });
          return taken;
        }),
      );
    },
    async attempts(jobId) {
      return db
        .all('SELECT number, data FROM attempt WHERE job_id = ? ORDER BY number', jobId)
        .map((row) => readAttempt(jobId, Number(row.number), row.data));
    },
    putAttempt(lease, change) {
      return db.write(() => {
        if (holds(lease)) changeAttempt(lease.jobId, lease.attempt, change);
      });
    },
  };
  return { records, find };
}
