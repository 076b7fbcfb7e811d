import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallLimiter } from '../../limits/call-limiter.ts';
import { memoryDocument } from '../../store/testing/memory-document.ts';
import { forgeEnvironment, forgeWords } from './forge-environment.ts';
import { type ForgeCalls, gh, limited } from './gh.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const calls = (limiter = new CallLimiter(memoryDocument(), 'one')): ForgeCalls => ({
  limiter,
  cwd: import.meta.dirname,
  signal: new AbortController().signal,
});
const refused = (output: string) => async () => ({ exit: 1, stdout: '', output });

describe('calls to a forge', () => {
  it('say what to do where there is no gh', async () => {
    vi.stubEnv('PATH', import.meta.dirname);
    await expect(gh(['pr', 'list'], calls())).rejects.toThrow(
      /gh is not on the PATH: install the GitHub CLI/,
    );
  });

  it('are not made again after a failure that is no limit', async () => {
    let made = 0;
    const answer = await limited(calls(), () => {
      made += 1;
      return refused('HTTP 422: Validation Failed')();
    });
    expect(answer).toEqual({ ok: false, why: 'HTTP 422: Validation Failed', limited: false });
    expect(made).toBe(1);
  });

  it('are not waited for where the service asks for days, and neither are the next ones', async () => {
    const limiter = new CallLimiter(memoryDocument(), 'one');
    const days = refused('HTTP 429\nRetry-After: 2592000');
    expect(await limited(calls(limiter), days)).toMatchObject({
      ok: false,
      why: expect.stringMatching(/asks to wait until 20/),
    });
    let made = 0;
    const next = await limited(calls(limiter), () => {
      made += 1;
      return days();
    });
    expect(next).toMatchObject({ ok: false, why: expect.stringMatching(/asks to wait until 20/) });
    expect(made).toBe(0);
  });

  it('are one try where they change something, so that somebody looks before the next', async () => {
    const limiter = new CallLimiter(memoryDocument(), 'one');
    const answer = await limited(calls(limiter), refused('HTTP 429\nRetry-After: 60'), 1);
    expect(answer).toMatchObject({ ok: false, limited: true });
    expect(await limiter.pausedMs(new AbortController().signal)).toBeGreaterThan(50_000);
  });

  it("see the user's access to the forge, and their words hold no credentials", () => {
    vi.stubEnv('GH_TOKEN', 'x');
    vi.stubEnv('GIT_DIR', '/elsewhere');
    expect(forgeEnvironment()).toMatchObject({ GH_TOKEN: 'x', GH_PROMPT_DISABLED: '1' });
    expect(forgeEnvironment().GIT_DIR).toBeUndefined();
    expect(forgeWords('fatal: https://x:ghs_1@host/a.git\n  denied')).toBe(
      'fatal: https://host/a.git · denied',
    );
    const token = `gh${'p_'}${'aB3'.repeat(12)}`;
    for (let before = 360; before < 402; before += 5) {
      expect(forgeWords(`${'. '.repeat(before / 2)}${token}`)).not.toContain(token.slice(4, 12));
    }
  });
});
