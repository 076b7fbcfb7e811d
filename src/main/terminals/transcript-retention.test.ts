import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../shared/time.ts';
import { pruneTranscripts, type TranscriptFile, transcriptsToDelete } from './transcript-retention.ts';

const NOW = 1000 * HOUR_MS;
const file = (sessionId: string, ageHours: number, sizeBytes = 10): TranscriptFile => ({
  sessionId,
  names: [`${sessionId}.log`],
  sizeBytes,
  changedAt: NOW - ageHours * HOUR_MS,
});
const gone = (files: TranscriptFile[], maxHours: number, maxBytes: number, live: string[] = []) =>
  transcriptsToDelete(files, { maxAgeMs: maxHours * HOUR_MS, maxBytes }, new Set(live), NOW).map(
    ({ sessionId }) => sessionId,
  );

describe('transcripts', () => {
  it('go when they are old', () => {
    expect(gone([file('new', 2), file('old', 31), file('older', 99)], 30, 1000)).toEqual(['older', 'old']);
  });

  it('go from the oldest on until the rest fits the budget', () => {
    expect(gone([file('c', 2), file('a', 9), file('b', 5)], 100, 20)).toEqual(['a']);
    expect(gone([file('c', 2), file('a', 9), file('b', 5)], 100, 19)).toEqual(['a', 'b']);
  });

  it('stay while their session lives, or somebody has just written to them', () => {
    expect(gone([file('live', 99), file('fresh', 0.5), file('old', 99)], 1, 0, ['live'])).toEqual(['old']);
  });

  it('are deleted with all their parts, and nothing else is', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'headway-retention-'));
    try {
      const names = ['a.log', 'a.log.tail-100', 'a.log.joined', 'b.log', 'notes.txt', 'c.log.bak'];
      for (const name of names) {
        await writeFile(join(dir, name), 'x');
        if (name !== 'b.log') await utimes(join(dir, name), 1, 1);
      }
      const retention = { maxAgeMs: HOUR_MS, maxBytes: 1000 };
      expect(await pruneTranscripts({ dir, retention, live: new Set(), nowMs: Date.now() })).toEqual(['a']);
      expect((await readdir(dir)).sort()).toEqual(['b.log', 'c.log.bak', 'notes.txt']);
      expect(
        await pruneTranscripts({ dir: join(dir, 'none'), retention, live: new Set(), nowMs: 0 }),
      ).toEqual([]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
