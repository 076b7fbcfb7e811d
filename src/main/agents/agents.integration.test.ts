import { randomUUID } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, gitLine } from '../git/git.ts';
import { childEnvironment } from '../processes/environment.ts';
import { processesWithVariables } from '../processes/process-table.ts';
import type { AgentContext, AgentOutcome } from './agent.ts';
import { buildPrompt } from './prompt.ts';
import { detectAgents, resolveAgent } from './registry.ts';

describe.runIf(process.platform !== 'win32')('agents', () => {
  let root: string;
  let dir: string;
  let shown: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headway-agents-'));
    dir = join(root, 'slot with space');
    await mkdir(dir);
    await mkdir(join(root, 'temp'));
    shown = '';
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const attempt = (agent: string, text: string, more: Partial<AgentContext> = {}): Promise<AgentOutcome> => {
    const ticket = {
      id: 'T-1',
      title: 'A ticket',
      text,
      dependsOn: [],
      related: [],
      priority: 'batch' as const,
    };
    return resolveAgent(agent).run({
      ticket,
      prompt: buildPrompt(ticket, ['src']),
      dir,
      tempDir: join(root, 'temp'),
      env: childEnvironment(),
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      output: (bytes) => {
        if (shown.length < 100_000) shown += Buffer.from(bytes).toString();
      },
      redact: (text) => text,
      onUsage: () => undefined,
      ...more,
    });
  };
  const scripted = (steps: string, more?: Partial<AgentContext>): Promise<AgentOutcome> =>
    attempt('scripted', `\`\`\`headway\n${steps}\n\`\`\``, more);
  const file = (name: string): Promise<string> => readFile(join(dir, name), 'utf8');

  describe('scripted', () => {
    it('edits, runs, commits and tells what it does', async () => {
      await git(['init', '--quiet'], { cwd: dir });
      const outcome = await scripted(
        [
          '- print: I start.',
          '- write: {path: src/a.txt, content: "one\\n"}',
          '- append: {path: src/a.txt, content: "two $& three\\n"}',
          '- replace: {path: src/a.txt, find: one, with: "1 $&"}',
          '- write: {path: gone.txt, content: x}',
          '- delete: gone.txt',
          '- run: cat src/a.txt',
          '- commit: "Change a"',
        ].join('\n'),
      );
      expect(outcome).toEqual({ kind: 'finished' });
      expect(await file('src/a.txt')).toBe('1 $&\ntwo $& three\n');
      expect(await gitLine(['log', '--format=%s'], { cwd: dir })).toBe('Change a');
      expect(shown).toContain('I start.');
      expect(shown).toContain('1 $&\ntwo $& three\n');
    });

    it.each([
      ['- exit: 3', { kind: 'failed', exit: 3 }],
      ['- run: "echo broken; exit 4"', { kind: 'failed', exit: 4, why: 'exit 4: broken' }],
      ['- replace: {path: a, find: b, with: c}', { kind: 'failed' }],
      ['- nonsense: 1', { kind: 'failed' }],
      ['- exit: 0', { kind: 'finished' }],
    ])('ends %s as it should', async (steps, expected) => {
      expect(await scripted(steps)).toMatchObject(expected);
    });

    it('writes nothing through a link that leaves the slot', async () => {
      await mkdir(join(root, 'outside'));
      await symlink(join(root, 'outside'), join(dir, 'link'));
      await symlink(join(root, 'outside', 'new.txt'), join(dir, 'dangling'));
      for (const path of ['link/x.txt', 'dangling']) {
        expect(await scripted(`- write: {path: ${path}, content: x}`)).toMatchObject({ kind: 'failed' });
      }
      await expect(access(join(root, 'outside', 'x.txt'))).rejects.toThrow();
      await expect(access(join(root, 'outside', 'new.txt'))).rejects.toThrow();
    });

    it('hangs until its time is over or it is cancelled', async () => {
      expect(await scripted('- hang: true', { timeoutMs: 20 })).toEqual({ kind: 'timed-out' });
      const controller = new AbortController();
      const running = scripted('- hang: true', { signal: controller.signal });
      controller.abort();
      expect(await running).toEqual({ kind: 'cancelled' });
      const inCommand = new AbortController();
      const command = scripted('- run: "echo go; sleep 300"', {
        signal: inCommand.signal,
        output: (bytes) => {
          if (Buffer.from(bytes).toString().startsWith('go')) inCommand.abort();
        },
      });
      expect(await command).toEqual({ kind: 'cancelled' });
    });
  });

  describe('command', () => {
    const hostile =
      'it\'s $(touch PWNED) `touch PWNED` "; touch PWNED; # %PATH% \\ \n second line -- \u0024{HOME}';

    it.each([
      'printf %s {prompt} > out',
      'printf %s "{prompt}" > out',
      "printf %s '{prompt}' > out",
      "sh -c 'printf %s {prompt} > out'",
      'sh -c "printf %s {prompt} > out"',
      'cat {promptFile} > out',
      'cat "$HEADWAY_PROMPT_FILE" > out',
    ])('gives the text of a ticket to `%s` as it is', async (line) => {
      expect(await attempt(`command: ${line}`, hostile)).toEqual({ kind: 'finished' });
      expect((await file('out')).startsWith(hostile)).toBe(true);
      await expect(access(join(dir, 'PWNED'))).rejects.toThrow();
    });

    it('runs in the slot and knows its ticket', async () => {
      await attempt('command: pwd; echo {ticket} $HEADWAY_TICKET; echo {dir}', 'x');
      expect(shown).toBe(`${dir}\nT-1 T-1\n${dir}\n`);
    });

    it('gives a huge ticket by file', async () => {
      const text = 'long '.repeat(100_000);
      await attempt('command: printf %s {prompt}; wc -c < {promptFile}', text);
      expect(shown).toContain('prompt.md and do what it says');
      expect(Number(/\d+\s*$/.exec(shown)?.[0])).toBeGreaterThan(text.length - 10);
    });

    it.each([
      ['echo fine', { kind: 'finished' }],
      ['true', { kind: 'finished' }],
      [
        'echo one; printf "\\033[31mbad thing\\033[0m\\n----\\n" >&2; exit 2',
        { kind: 'failed', exit: 2, why: 'exit 2: bad thing' },
      ],
      ['exit 5', { kind: 'failed', exit: 5, why: 'exit 5, no output' }],
      ['kill -9 $$', { kind: 'failed', exit: 137, why: 'ended by SIGKILL, no output' }],
      ['no-such-agent-program {prompt}', { kind: 'missing' }],
    ])('reads the end of `%s`', async (line, expected) => {
      expect(await attempt(`command: ${line}`, 'x')).toMatchObject(expected);
    });

    it('passes on 100 MB without keeping them', async () => {
      let bytes = 0;
      const before = process.memoryUsage().arrayBuffers;
      const outcome = await attempt('command: head -c 104857600 /dev/zero | tr "\\0" x', 'x', {
        output: (chunk) => {
          bytes += chunk.length;
        },
      });
      expect(outcome).toEqual({ kind: 'finished' });
      expect(bytes).toBe(104_857_600);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024);
    });

    it('ends what was left behind, and everything when its time is over', async () => {
      const mark = { LEFT_BEHIND: randomUUID() };
      await attempt(`command: LEFT_BEHIND=${mark.LEFT_BEHIND} sleep 300 & echo left`, 'x');
      expect(shown).toBe('left\n');
      expect(await processesWithVariables(mark)).toEqual([]);
      expect(await attempt('command: sleep 300', 'x', { timeoutMs: 50 })).toEqual({ kind: 'timed-out' });
    });
  });

  describe('the registry', () => {
    it.each([
      ['claud-code', /did you mean 'claude-code'/],
      ['script', /did you mean 'scripted'/],
      ['zzzzzzzzzzzzz', /is not known\. There are scripted/],
      ['codex', /did you mean 'command: codex exec/],
      ['command:', /needs a command line/],
      ['command: x {promt}', /is no placeholder/],
    ])('refuses %s and says what was meant', (spec, message) => {
      expect(() => resolveAgent(spec)).toThrow(message);
    });

    it('finds what is installed, also where a program never tells its version', async () => {
      const bin = join(root, 'bin');
      await mkdir(bin);
      await writeFile(join(bin, 'claude'), '#!/bin/sh\necho "3.2.1 (Claude Code)"\n', { mode: 0o755 });
      await writeFile(join(bin, 'codex'), '#!/bin/sh\nsleep 300\n', { mode: 0o755 });
      await writeFile(join(bin, 'aider'), 'not executable');
      const agents = await detectAgents({ ...childEnvironment(), PATH: `${bin}:/usr/bin:/bin` });
      expect(agents.find((agent) => agent.id === 'claude-code')).toMatchObject({
        available: true,
        version: '3.2.1',
      });
      expect(agents.find((agent) => agent.label === 'Codex')).toEqual({
        id: 'command: codex exec --sandbox workspace-write {prompt}',
        label: 'Codex',
        available: true,
      });
      expect(agents.some((agent) => agent.label === 'Aider')).toBe(false);
      const none = await detectAgents({ PATH: join(root, 'nothing') });
      expect(none.find((agent) => agent.id === 'claude-code')).toMatchObject({
        available: false,
        hint: expect.stringContaining('npm install -g'),
      });
    });
  });
});
