import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { crashTest } from './crash-test.ts';

const SCRIPT = join(import.meta.dirname, '../../../../../../scripts/crash-test.mjs');

describe.runIf(process.platform === 'linux')('runs that are killed or hurt at any moment', () => {
  it('lose nothing, do nothing twice and leave nothing behind', async () => {
    const result = await crashTest({ kills: 6, seed: 266 });
    expect(result.faults).toEqual([]);
    expect(result.kills).toBe(6);
  }, 600_000);

  it.each(['git-killed', 'suspended'] as const)(
    'nor where they are %s',
    async (injury) => {
      const result = await crashTest({ kills: 2, seed: 7, injuries: [injury] });
      expect(result.faults).toEqual([]);
      expect(Object.keys(result.killedAt).every((at) => at.startsWith(injury))).toBe(true);
    },
    600_000,
  );

  it('nor where a disk is full with all that lies on it, or the database in use', async () => {
    const args = ['--kills', '2', '--seed', '4', '--injuries', 'disk-full,database-held'];
    const child = spawn(process.execPath, ['--no-warnings', SCRIPT, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said, complaints, [exit]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(complaints).toBe('');
    expect(said).toContain('kills 2, lost 0, twice 0, left behind 0');
    expect(exit).toBe(0);
  }, 600_000);
});
