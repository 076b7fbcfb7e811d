import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installClaude } from '../../agents/testing/install-claude.ts';
import { startScriptedMessagesApi } from '../../agents/testing/scripted-messages-api.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

/** A real agent, a real slot, a real gate, a real merge; only the model is scripted. */
describe.runIf(process.platform !== 'win32')('the real Claude Code', () => {
  it('works two tickets side by side and its commits land with what it used', async (context) => {
    const installation = await installClaude();
    if ('missing' in installation) return context.skip(installation.missing);
    await using api = await startScriptedMessagesApi((request) => {
      const messages = request.body.messages ?? [];
      const said = JSON.stringify(messages);
      const file = said.includes('write to a.txt') ? 'a.txt' : 'b.txt';
      const answered = JSON.stringify(messages.at(-1)).includes('tool_result');
      return answered
        ? { text: 'Done.' }
        : {
            tools: [
              { name: 'Bash', input: { command: `echo by-claude > ${file}`, description: 'write it' } },
            ],
          };
    });
    Object.assign(place.env, {
      PATH: `${installation.bin}${delimiter}${process.env.PATH}`,
      HOME: join(place.root, 'user'),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'not-a-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    });
    place.write('user/.keep', '');
    const repo = place.repository('repo', { 'a.txt': '', 'b.txt': '', 'check.cjs': '' });
    const tickets = place.tickets('tickets', {
      A: '---\nid: A\npaths: [a.txt]\n---\nwrite to a.txt.\n',
      B: '---\nid: B\npaths: [b.txt]\n---\nwrite to b.txt.\n',
    });
    const result = await place.run(
      'run',
      '--repo',
      repo,
      '--tickets',
      tickets,
      '--agent',
      'claude-code',
      '--gate',
      'grep -q by-claude a.txt || grep -q by-claude b.txt',
    );
    expect(result.stderr).toBe('');
    expect(Object.values(result.summary).map((job) => [job.ticket, job.state])).toEqual([
      ['A', 'merged'],
      ['B', 'merged'],
    ]);
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('by-claude\n');
    expect(readFileSync(join(repo, 'b.txt'), 'utf8')).toBe('by-claude\n');
    const usage = (result.summary.A as unknown as { usage: Record<string, number> }).usage;
    expect(usage).toMatchObject({ rounds: 2, toolCalls: 1 });
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(place.git(repo, 'log', '-1', '--format=%B')).toContain('Headway-Agent: claude-code');
  });
});
