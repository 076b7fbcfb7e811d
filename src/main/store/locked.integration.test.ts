import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteConnection } from './sqlite-connection.ts';

it.runIf(process.platform === 'linux')(
  'a database that a suspended process holds is told with that process and what to do',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'headway-locked-'));
    const file = join(dir, 'headway.db');
    const db = new SqliteConnection(file, 100);
    await db.write(() => undefined);
    const script = `const Database = require('better-sqlite3');
      const db = new Database(${JSON.stringify(file)});
      db.exec('BEGIN IMMEDIATE');
      process.stdout.write('held');
      setInterval(() => undefined, 1000);`;
    const holder = spawn(process.execPath, ['-e', script], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(holder, 'close');
    try {
      await once(holder.stdout, 'data');
      await expect(db.write(() => undefined)).rejects.toThrow(
        `The database is held by process ${holder.pid} for too long.`,
      );
      holder.kill('SIGSTOP');
      await expect
        .poll(() => db.write(() => undefined).catch((error: Error) => error.message))
        .toContain(
          `process ${holder.pid}, which is suspended, for too long. Continue it (kill -CONT ${holder.pid})`,
        );
    } finally {
      holder.kill('SIGKILL');
      await ended;
    }
    await db.write(() => undefined);
    await db.close();
    await rm(dir, { recursive: true });
  },
);
