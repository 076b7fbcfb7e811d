import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTranscriptTail, TranscriptWriter } from './transcript.ts';

describe('TranscriptWriter', () => {
  let dir: string;
  let file: string;
  let failures: Error[];
  const limits = { headBytes: 1000, tailBytes: 500 };
  const writer = (path = file): TranscriptWriter =>
    new TranscriptWriter(path, (error) => failures.push(error), limits);

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'headway-transcript-'));
    file = join(dir, 'deep', 's.log');
    failures = [];
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  it('keeps everything of usual output', async () => {
    const transcript = writer();
    for (let row = 0; row < 50; row += 1) transcript.write(Buffer.from(`line ${row}\n`));
    await transcript.close();
    expect((await readFile(file, 'utf8')).split('\n').length).toBe(51);
    expect(await readTranscriptTail(file, 8)).toEqual({ bytes: Buffer.from('line 49\n'), skipped: 382 });
  });

  it('keeps the beginning and the end of endless output in one file, and marks the gap', async () => {
    const transcript = writer();
    for (let row = 0; row < 1000; row += 1) transcript.write(Buffer.from(`line ${row}\n`));
    await transcript.close();
    const text = await readFile(file, 'utf8');
    expect(text.startsWith('line 0\nline 1\n')).toBe(true);
    expect(text.endsWith('line 998\nline 999\n')).toBe(true);
    expect(text).toMatch(/\[headway: \d+ KB of output left out here\]/);
    expect(text.length).toBeLessThan(limits.headBytes + 2 * limits.tailBytes + 200);
    expect(await readdir(join(dir, 'deep'))).toEqual(['s.log']);
  });

  it('joins after a crash what lay in parts', async () => {
    await writer().close();
    const crashed = join(dir, 'c.log');
    await writeFile(crashed, 'head');
    await writeFile(`${crashed}.tail-4`, 'middle');
    await writeFile(`${crashed}.tail-10`, 'end');
    const { bytes } = await readTranscriptTail(crashed, 100);
    expect(bytes.toString()).toBe('headmiddleend');
    expect((await readdir(dir)).filter((name) => name.startsWith('c.log'))).toEqual(['c.log']);
  });

  it('tells once of a disk that fails, and lets the session go on', async () => {
    await writeFile(join(dir, 'occupied'), '');
    const transcript = writer(join(dir, 'occupied', 's.log'));
    transcript.write(Buffer.from('x'));
    await transcript.close();
    transcript.write(Buffer.from('y'));
    await transcript.close();
    expect(failures.length).toBe(1);
  });
});
