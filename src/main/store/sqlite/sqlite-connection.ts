import { AsyncLocalStorage } from 'node:async_hooks';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { HeadwayError } from '../../../shared/errors.ts';
import { formatBytes } from '../../../shared/sizes.ts';
import { holderWords, readerOf, writerOf } from '../../processes/lock-holder.ts';
import { assertNotEmptied, notADatabase, ownDatabase, ownDirectory, unusable } from '../data-directory.ts';
import { troubleError, troubleOfCode } from '../store-trouble.ts';
import { MIGRATIONS } from './migrations.ts';
import { type Outcome, WriteQueue } from './write-queue.ts';

type Row = Record<string, unknown>;
export type Statement = Database.Statement<unknown[], Row>;

/** The driver blocks the process while SQLite waits: it waits this long itself, then we try again asynchronously. */
const BLOCKING_WAIT_MS = 25;
const GIVE_UP_MS = 60_000;
const OPENING_MS = 5_000;
const OPENING_PAUSE_MS = 10;
const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

const code = (thrown: unknown): string => String((thrown as { code?: unknown }).code ?? '');
const isBusy = (thrown: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(code(thrown));

/**
 * One connection. WAL with synchronous=FULL, set and asserted: a commit that was reported survives a power cut, at the
 * price of one sync each. Writers begin IMMEDIATE, because a transaction that reads first and then writes is refused
 * at once when somebody else wrote in between.
 */
export class SqliteConnection {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Statement>();
  #dataVersion: number;
  readonly #queue: WriteQueue;

  readonly #file: string;
  readonly #walLimitBytes: number;

  /**
   * `giveUpMs`: after so long a database that stays in use is a trouble that is told. `walLimitBytes`: the log of changes that
   * are not yet in the database file shrinks to this again, once nobody reads what lies before them.
   */
  constructor(file: string, { giveUpMs = GIVE_UP_MS, walLimitBytes = WAL_LIMIT_BYTES } = {}) {
    this.#file = file;
    this.#walLimitBytes = walLimitBytes;
    this.#queue = new WriteQueue({
      commit: (bodies) => this.#commit(bodies),
      isBusy,
      explain: (thrown) => {
        const trouble = troubleOfCode(code(thrown));
        return trouble ? troubleError(trouble, thrown) : thrown;
      },
      busyError: (thrown) => troubleError('locked', thrown, writerOf(file)),
      giveUpMs,
    });
    try {
      ownDirectory(dirname(file));
      assertNotEmptied(file);
      this.#db = this.#open(file);
    } catch (thrown) {
      if (thrown instanceof HeadwayError) throw thrown;
      if (/^SQLITE_(NOTADB|CORRUPT)/.test(code(thrown))) throw notADatabase(file, thrown);
      throw unusable(dirname(file), thrown);
    }
    this.#db.pragma(`busy_timeout = ${BLOCKING_WAIT_MS}`);
    this.#dataVersion = this.#readDataVersion();
  }

  /**
   * Tries again while another process opens it too: SQLite does not wait where somebody writes to a database that is not
   * in WAL mode yet, as two first starts at once do.
   */
  #open(file: string): Database.Database {
    const giveUpMs = performance.now() + OPENING_MS;
    const db = new Database(file, { timeout: OPENING_MS });
    ownDatabase(file);
    for (;;) {
      try {
        this.#configure(db, file);
        return db;
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > giveUpMs) {
          db.close();
          throw thrown;
        }
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPENING_PAUSE_MS);
    }
  }

  #configure(db: Database.Database, file: string): void {
    if (db.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
      throw new HeadwayError(
        'unavailable',
        `${file}: the file system has no shared memory for SQLite's WAL mode.`,
      );
    }
    db.pragma('synchronous = FULL');
    if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous=FULL was not taken');
    db.pragma('foreign_keys = ON');
    db.pragma(`journal_size_limit = ${this.#walLimitBytes}`);
    const known = (): number => {
      const version = Number(db.pragma('user_version', { simple: true }));
      if (version <= MIGRATIONS.length) return version;
      throw new HeadwayError(
        'unavailable',
        `${file} was written by a newer Headway (schema ${version}, this one knows ${MIGRATIONS.length}). Update Headway.`,
      );
    };
    // Up to date: a start waits for nobody who writes.
    if (known() === MIGRATIONS.length) return;
    // Asked again inside: another process, perhaps a newer one, may be quicker.
    db.transaction(() => {
      for (const migration of MIGRATIONS.slice(known())) db.exec(migration.sql);
      db.pragma(`user_version = ${MIGRATIONS.length}`);
    }).immediate();
  }

  #readDataVersion(): number {
    return Number(this.#db.pragma('data_version', { simple: true }));
  }

  /** True where another connection has committed since the last call. */
  changedElsewhere(): boolean {
    const version = this.#readDataVersion();
    const changed = version !== this.#dataVersion;
    this.#dataVersion = version;
    return changed;
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare<unknown[], Row>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  all(sql: string, ...values: unknown[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  get(sql: string, ...values: unknown[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  run(sql: string, ...values: unknown[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  /**
   * A change, whole or not at all; settles when it is on the disk. Waits for a busy database without blocking the process.
   * It runs in the context of who asked for it, whoever else's transaction it shares.
   */
  write<T>(body: () => T): Promise<T> {
    return this.#queue.add(AsyncLocalStorage.bind(body));
  }

  /** Each body in a savepoint of its own, all in one transaction. */
  #commit(bodies: readonly (() => unknown)[]): Outcome[] {
    const [only] = bodies;
    if (only && bodies.length === 1) return [{ value: this.#db.transaction(only).immediate() }];
    return this.#db
      .transaction(() =>
        bodies.map((body): Outcome => {
          try {
            return { value: this.#db.transaction(body)() };
          } catch (error) {
            // Some errors end the whole transaction: then nothing of it counts, and nothing may follow it.
            if (!this.#db.inTransaction || troubleOfCode(code(error)) || isBusy(error)) throw error;
            return { error };
          }
        }),
      )
      .immediate();
  }

  /** What a person should know of the database, in words; undefined: it is well. Brings a log that has grown down again. */
  health(): string | undefined {
    const size = (): number => statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size() <= this.#walLimitBytes) return undefined;
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
    const bytes = size();
    if (bytes <= this.#walLimitBytes) return undefined;
    const reader = readerOf(this.#file);
    const who = reader ? holderWords(reader) : 'another program';
    return `${this.#file}-wal has grown to ${formatBytes(bytes)}, because ${who} has been reading the database for long. It shrinks by itself when that ends.`;
  }

  async close(): Promise<void> {
    await this.#queue.settled();
    this.#statements.clear();
    this.#db.close();
  }
}
