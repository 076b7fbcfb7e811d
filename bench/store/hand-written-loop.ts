import Database from 'better-sqlite3';
import { PAYLOAD, type Peer } from './measure.ts';

/** The floor: one statement that claims under a lease, one that completes; nothing else is kept. */
export const handWrittenLoop: Peer = async (file, queued) => {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`
    CREATE TABLE job (
      id INTEGER PRIMARY KEY, state TEXT NOT NULL DEFAULT 'ready', lease_until INTEGER, worker TEXT, data TEXT NOT NULL) STRICT;
    CREATE INDEX job_ready ON job (id) WHERE state = 'ready';
  `);
  const add = db.prepare('INSERT INTO job (data) VALUES (?)');
  db.transaction(() => {
    for (let index = 0; index < queued; index += 1) add.run(PAYLOAD);
  })();
  const claim = db.prepare<[number], { id: number }>(
    `UPDATE job SET state = 'running', lease_until = ?, worker = 'w'
     WHERE id = (SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT 1) RETURNING id`,
  );
  const complete = db.prepare(
    "UPDATE job SET state = 'done' WHERE id = ? AND state = 'running' AND worker = 'w'",
  );
  return {
    work() {
      const row = claim.get(Date.now() + 60_000);
      if (!row) throw new Error('the queue is empty');
      complete.run(row.id);
      return String(row.id);
    },
    close: () => void db.close(),
  };
};
