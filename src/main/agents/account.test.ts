import { describe, expect, it } from 'vitest';
import { accountOf } from './account.ts';

const id = (
  spec: string,
  env: Record<string, string> = {},
  source: NodeJS.ProcessEnv = {},
): string | undefined => accountOf(spec, env, source)?.id;

describe('accountOf', () => {
  it('knows one login, whatever the model, and one key for all agents that use it', () => {
    expect(id('claude-code')).toBe('claude-login');
    const key = { ANTHROPIC_API_KEY: 'sk-ant-one' };
    expect(id('claude-code', {}, key)).toMatch(/^anthropic-[0-9a-f]{8}$/);
    expect(id('claude', {}, key)).toBe(id('claude-code', {}, key));
    expect(id('claude: claude-opus-5-5', {}, key)).toBe(id('claude', {}, key));
    expect(id('claude', {}, { ANTHROPIC_API_KEY: 'sk-ant-two' })).not.toBe(id('claude', {}, key));
    expect(JSON.stringify(accountOf('claude', {}, key))).not.toContain('sk-ant-one');
  });

  it('knows the account that a policy gives, which is not the own', () => {
    const key = { ANTHROPIC_API_KEY: 'theirs' };
    expect(id('claude-code', key)).not.toBe(id('claude-code'));
    expect(id('claude-code', { CLAUDE_CONFIG_DIR: '/other' })).not.toBe(id('claude-code'));
    expect(id('command: codex exec {prompt}', { OPENAI_API_KEY: 'k' })).not.toBe(
      id('command: codex exec {prompt}'),
    );
    expect(id('ollama: m', { OLLAMA_HOST: 'big:11434' })).not.toBe(id('ollama: m'));
  });

  it.each([
    ['codex exec {prompt}', 'codex'],
    ['codex exec --sandbox workspace-write - < {promptFile}', 'codex'],
    ['/usr/local/bin/codex exec {prompt}', 'codex'],
    ['env RUST_LOG=info codex exec {prompt}', 'codex'],
    ['npx -y @openai/codex exec {prompt}', 'codex'],
  ])('tells a command by its program: %s', (line, expected) => {
    expect(id(`command: ${line}`)).toBe(expected);
  });

  it('tells lines apart whose program runs others, or that name an account of their own', () => {
    const ids = ['sh agent.sh', 'sh other.sh', 'CODEX_HOME=/work codex exec -', 'codex exec -'].map((line) =>
      id(`command: ${line}`),
    );
    expect(new Set(ids).size).toBe(4);
  });

  it('knows none for an agent that nobody limits', () => {
    expect(id('scripted')).toBeUndefined();
  });
});
