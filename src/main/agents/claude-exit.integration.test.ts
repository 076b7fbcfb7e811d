import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from '../processes/environment.ts';
import { isHeld } from '../testing/held-socket.ts';
import type { AgentOutcome } from './agent.ts';
import { createClaudeCodeAgent } from './claude-code.ts';

const RESULT = `console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', num_turns: 3 }));`;
const STAYS = 'setInterval(() => undefined, 1000);';

describe.runIf(process.platform !== 'win32')('a claude that has told its result', () => {
  let root: string;
  let shown: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headway-claude-exit-'));
    shown = '';
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  /** Runs a program in place of `claude`. */
  const attempt = async (program: string, timeoutMs = 60_000, graceMs = 300): Promise<AgentOutcome> => {
    const bin = join(root, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'claude'), `#!${process.execPath}\n${program}`);
    await chmod(join(bin, 'claude'), 0o755);
    return createClaudeCodeAgent({}, { graceMs }).run({
      ticket: { id: 'T', title: 'T', text: 'x', dependsOn: [], related: [], priority: 'batch' },
      prompt: 'x',
      dir: root,
      tempDir: root,
      env: childEnvironment({ PATH: `${bin}${delimiter}${process.env.PATH}` }),
      timeoutMs,
      signal: new AbortController().signal,
      output: (bytes) => {
        shown += Buffer.from(bytes).toString();
      },
      redact: (text) => text,
      onUsage: () => undefined,
    });
  };
  it.each([
    ['does not exit', STAYS],
    [
      'ignores every polite signal',
      `process.on('SIGTERM', () => undefined); process.on('SIGHUP', () => undefined); ${STAYS}`,
    ],
    [
      'waits for a server that it started',
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STAYS)}], { stdio: 'inherit' });`,
    ],
  ])('is ended, and its work taken, where it %s', async (_, then) => {
    const outcome = await attempt(
      `require('node:net').createServer().listen('held', () => { ${RESULT} ${then} });`,
    );
    expect(outcome).toMatchObject({ kind: 'finished', usage: { rounds: 3 } });
    expect(shown).toContain('did not exit within 0.3 s of its result');
    expect(existsSync(join(root, 'held'))).toBe(true);
    expect(await isHeld(join(root, 'held'))).toBe(false);
  });

  it('fails with its words where the result is a failure', async () => {
    const outcome = await attempt(`${RESULT.replace('is_error: false', 'is_error: true')} ${STAYS}`);
    expect(outcome).toMatchObject({ kind: 'failed', why: 'Done.' });
  });

  it('is waited for where it works again after one', async () => {
    const tool = `console.log(JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', name: 'Bash', input: {} }] } }));`;
    const outcome = await attempt(
      `${RESULT} ${tool} setTimeout(() => { require('node:fs').writeFileSync('late.txt', ''); ${RESULT} }, 1500);`,
    );
    expect(outcome).toMatchObject({ kind: 'finished' });
    expect(await readFile(join(root, 'late.txt'), 'utf8')).toBe('');
    expect(shown).not.toContain('did not exit');
  });

  it('has done its work also where its time is over before the grace is', async () => {
    expect(await attempt(`${RESULT} ${STAYS}`, 2_000, 60_000)).toMatchObject({ kind: 'finished' });
  });
});
