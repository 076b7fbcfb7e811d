import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { PAYLOAD, type Peer } from './measure.ts';

const VERSION = '0.0.14';
const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'bench-peers');

type Plainjob = {
  better(db: Database.Database): unknown;
  defineQueue(options: { connection: unknown }): {
    add(type: string, data: unknown): { id: number };
    addMany(type: string, data: unknown[]): unknown;
    getAndMarkJobAsProcessing(type: string): { id: number } | undefined;
    markJobAsDone(id: number): void;
    close(): void;
  };
};

/** A peer to compare with, kept beside the caches and never part of the project. */
async function load(): Promise<Plainjob> {
  const entry = join(CACHE, 'node_modules', 'plainjob', 'dist', 'plainjob.js');
  if (!existsSync(entry)) {
    mkdirSync(CACHE, { recursive: true });
    execFileSync(
      'npm',
      [
        'install',
        '--prefix',
        CACHE,
        '--no-audit',
        '--no-fund',
        '--no-save',
        '--legacy-peer-deps',
        `plainjob@${VERSION}`,
      ],
      { stdio: 'inherit', shell: process.platform === 'win32' },
    );
  }
  return (await import(pathToFileURL(entry).href)) as Plainjob;
}

/** plainjob as it is, on our driver and in our sync mode. */
export const plainjobLoop: Peer = async (file, queued) => {
  const { better, defineQueue } = await load();
  const db = new Database(file);
  const queue = defineQueue({ connection: better(db) });
  db.pragma('synchronous = FULL');
  if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('plainjob runs in another sync mode');
  queue.addMany(
    'bench',
    Array.from({ length: queued }, () => PAYLOAD),
  );
  return {
    work() {
      const job = queue.getAndMarkJobAsProcessing('bench');
      if (!job) throw new Error('the queue is empty');
      queue.markJobAsDone(job.id);
      return String(job.id);
    },
    close: () => queue.close(),
  };
};
