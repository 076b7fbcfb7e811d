import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const KNOWN = `odd${'Zq9w'.repeat(6)}`;
const TOKEN = `gh${'p_'}${'aB3'.repeat(12)}`;
const dir = mkdtempSync(join(tmpdir(), 'headway-crash-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function die(script: string): { status: number | null; stderr: string } {
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'crashes.ts')).href);
  const file = join(dir, 'die.mjs');
  writeFileSync(
    file,
    `import { endOnCrash } from ${module};
    endOnCrash((text) => process.stderr.write(text));
    const bad = new Error('remote said ' + ${JSON.stringify(TOKEN)}, { cause: new Error('key ' + process.env.SOME_API_KEY) });
    ${script}`,
  );
  const { status, stderr } = spawnSync(process.execPath, ['--no-warnings', file], {
    env: { PATH: process.env.PATH, SOME_API_KEY: KNOWN },
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('a process that crashes', () => {
  it.each([
    ['by an error in a callback', 'setTimeout(() => { throw bad; }, 1); setInterval(() => {}, 1000);'],
    ['by a rejection that nobody handles', 'Promise.reject(bad); setInterval(() => {}, 1000);'],
  ])('%s prints it without secrets, and ends', (_, script) => {
    const { status, stderr } = die(script);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Error: remote said ghp_\[redacted\]\n +at .*die\.mjs/);
    expect(stderr).toMatch(/cause.*key odd\[redacted\]/);
    expect(stderr).not.toContain(KNOWN);
    expect(stderr).not.toContain(TOKEN);
  });

  it('says nothing where only the reader of its output has gone', () => {
    const script = "setTimeout(() => { throw Object.assign(bad, { code: 'EPIPE' }); }, 1);";
    expect(die(script)).toEqual({ status: 1, stderr: '' });
  });
});
