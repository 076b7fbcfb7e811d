import { access, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Usage } from '../../shared/domain.ts';
import { childEnvironment } from '../processes/environment.ts';
import { claudeEnvironment } from './account-variables.ts';
import type { AgentOutcome } from './agent.ts';
import { createClaudeCodeAgent } from './claude-code.ts';
import { buildPrompt } from './prompt.ts';
import { type ClaudeInstallation, installClaude } from './testing/install-claude.ts';
import {
  type ScriptedMessagesApi,
  type ScriptedTurn,
  startScriptedMessagesApi,
} from './testing/scripted-messages-api.ts';

describe.runIf(process.platform !== 'win32')(
  'the Claude Code agent, with the real claude and a scripted model',
  () => {
    let installation: ClaudeInstallation;
    let root: string;
    let dir: string;
    let shown: string;
    let usages: Usage[];

    beforeAll(async () => {
      installation = await installClaude();
    });
    beforeEach(async (context) => {
      if ('missing' in installation) context.skip(installation.missing);
      root = await mkdtemp(join(tmpdir(), 'headway-claude-'));
      dir = join(root, 'slot');
      await mkdir(dir);
      shown = '';
      usages = [];
    });
    afterEach(async () => {
      if (root) await rm(root, { recursive: true, force: true });
    });

    const attempt = async (
      api: ScriptedMessagesApi,
      more: { timeoutMs?: number; signal?: AbortSignal; path?: string } = {},
    ): Promise<AgentOutcome> => {
      const bin = 'bin' in installation ? installation.bin : '';
      const ticket = {
        id: 'T-1',
        title: 'T',
        text: 'Write b.txt.',
        dependsOn: [],
        related: [],
        priority: 'batch' as const,
      };
      return createClaudeCodeAgent({}).run({
        ticket,
        prompt: buildPrompt(ticket),
        dir,
        tempDir: root,
        env: childEnvironment({
          PATH: more.path ?? `${bin}${delimiter}${process.env.PATH}`,
          HOME: root,
          ANTHROPIC_BASE_URL: api.url,
          ANTHROPIC_API_KEY: 'not-a-key',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          CLAUDE_CODE_MAX_RETRIES: '0',
        }),
        timeoutMs: more.timeoutMs ?? 60_000,
        signal: more.signal ?? new AbortController().signal,
        output: (bytes) => {
          shown += Buffer.from(bytes).toString();
        },
        redact: (text) => text,
        onUsage: (usage) => usages.push(usage),
      });
    };
    const tool = (name: string, input: Record<string, unknown>): ScriptedTurn => ({
      tools: [{ name, input }],
    });

    it('edits and runs commands without asking, also as root, and counts rounds, tools, tokens and cost', async () => {
      await using api = await startScriptedMessagesApi([
        {
          text: 'I write the file.',
          ...tool('Write', { file_path: join(dir, 'b.txt'), content: 'new 漢字\n' }),
        },
        tool('Bash', { command: 'cp b.txt c.txt && echo "$(pwd)"', description: 'copy' }),
        { text: 'All done.' },
      ]);
      const outcome = await attempt(api);
      expect(outcome).toMatchObject({
        kind: 'finished',
        usage: { rounds: 3, toolCalls: 2, inputTokens: 300, outputTokens: 60, costUsd: expect.any(Number) },
      });
      expect(await readFile(join(dir, 'c.txt'), 'utf8')).toBe('new 漢字\n');
      expect(shown).toContain('I write the file.');
      expect(shown).toMatch(/Bash\u001b\[0m cp b\.txt c\.txt/);
      expect(shown).toContain('3 rounds · 2 tool calls');
      expect(usages.length).toBeGreaterThan(2);
      expect(JSON.stringify(api.requests[0]?.body.messages)).toContain('Write b.txt.');
    });

    it('does not let it edit outside the slot', async () => {
      await using api = await startScriptedMessagesApi([
        tool('Write', { file_path: join(root, 'outside.txt'), content: 'x' }),
        { text: 'ok' },
      ]);
      expect((await attempt(api)).kind).toBe('finished');
      await expect(access(join(root, 'outside.txt'))).rejects.toThrow();
      expect(shown).toContain('not allowed here: Write');
    });

    it('fails with the words of the server', async () => {
      await using api = await startScriptedMessagesApi([{ status: 400, error: 'the model is on holiday' }]);
      expect(await attempt(api)).toMatchObject({
        kind: 'failed',
        why: expect.stringContaining('the model is on holiday'),
      });
    });

    it('is ended with all that it started when its time is over', async () => {
      await using api = await startScriptedMessagesApi([{ text: 'late', pauseMs: 600_000 }]);
      expect(await attempt(api, { timeoutMs: 2_000 })).toEqual({ kind: 'timed-out' });
    });

    it('says how to get claude where there is none', async () => {
      await using api = await startScriptedMessagesApi([]);
      expect(await attempt(api, { path: join(root, 'empty') })).toMatchObject({
        kind: 'missing',
        hint: expect.stringContaining('npm install'),
      });
    });
  },
);

describe('claudeEnvironment', () => {
  it("passes the user's own login on, and nothing that says it runs inside another claude", () => {
    expect(
      claudeEnvironment({
        ANTHROPIC_API_KEY: 'k',
        CLAUDE_CONFIG_DIR: '/c',
        CLAUDECODE: '1',
        CLAUDE_CODE_ENTRYPOINT: 'cli',
        OTHER: 'x',
      }),
    ).toEqual({ DISABLE_AUTOUPDATER: '1', ANTHROPIC_API_KEY: 'k', CLAUDE_CONFIG_DIR: '/c' });
  });
});
