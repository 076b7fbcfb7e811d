import { describe, expect, it } from 'vitest';
import { type Cause, causeSchema, explainCause, explainJob } from './cause.ts';

const holder = { jobId: 'j-1', ticketId: 'T1' };
const SAMPLES: { [Code in Cause['code']]: Extract<Cause, { code: Code }> } = {
  starting: { code: 'starting' },
  'path-conflict': { code: 'path-conflict', ...holder, running: true, path: 'src/a', theirPath: 'src' },
  'touches-everything': {
    ...{ code: 'touches-everything', ...holder, running: true, whose: 'own', why: 'it names no paths' },
  } as const,
  'depends-on': { code: 'depends-on', ...holder, state: 'running' },
  related: { code: 'related', ...holder, running: true },
  cap: { code: 'cap', scope: 'user', limit: 3 },
  backoff: { code: 'backoff', untilAt: 1, why: 'the agent is overloaded' },
  'account-paused': {
    ...{ code: 'account-paused', account: 'codex', label: 'the account of codex', untilAt: 1 },
    why: 'usage limit reached',
  } as const,
  'merge-conflict': { code: 'merge-conflict', files: ['src/a'] },
  'runner-lost': { code: 'runner-lost', why: 'its process ended' },
  'waits-for-slot': { code: 'waits-for-slot', why: 'one is being made' },
  'waits-for-install': { code: 'waits-for-install', limit: 2 },
  'waits-for-merge': { code: 'waits-for-merge', ...holder },
  'waits-for-process': { code: 'waits-for-process', pid: 7, suspended: true },
  'uncommitted-work': { code: 'uncommitted-work', path: '/home/ada/lib', files: ['src/a'] },
  'needs-trust': { code: 'needs-trust', commands: ['npm test'], hash: 'h' },
  'dependency-failed': { code: 'dependency-failed', ...holder, state: 'failed' },
  'held-by-person': { code: 'held-by-person', by: 'ada' },
  ungated: { code: 'ungated' },
  vacuous: { code: 'vacuous', step: 'test', why: 'no test ran' },
  tampered: { code: 'tampered', files: ['package.json'] },
  'needs-approval': { code: 'needs-approval' },
  'needs-proof': { code: 'needs-proof', lack: { kind: 'holes', breaks: 2 } },
  'conflicts-remain': { code: 'conflicts-remain', files: ['src/a'], attempts: 3 },
  'awaits-pull-request': { code: 'awaits-pull-request', url: 'https://forge.test/1', merged: false },
  'merge-refused': { code: 'merge-refused', why: 'a hook refused' },
  unreadable: { code: 'unreadable', why: 'ticket: Invalid input' },
  'base-check': { code: 'base-check', base: 'main' },
  'base-red': { code: 'base-red', base: 'main', commit: 'c0ffee', step: 'test', why: '2 failed' },
  'disk-full': { code: 'disk-full', path: '/data/slots', why: 'No space left on device' },
  'agent-failed': { code: 'agent-failed', why: 'exit 1', exit: 1 },
  'agent-missing': { code: 'agent-missing', agent: 'claude-code', hint: 'install it' },
  timeout: { code: 'timeout', stage: 'agent', limitMs: 60_000 },
  'no-changes': { code: 'no-changes' },
  'gate-red': { code: 'gate-red', step: 'test', why: '2 failed' },
  'gate-broken': { code: 'gate-broken', step: 'test', why: 'not found' },
  'store-trouble': { code: 'store-trouble', why: 'the disk is full' },
  'not-started': { code: 'not-started', limitMs: 120_000 },
  'fetch-failed': { code: 'fetch-failed', why: 'bad object' },
  busy: { code: 'busy', why: 'another process is merging' },
  'install-unreachable': { code: 'install-unreachable', why: 'npm ci ended with exit code 1: ECONNRESET' },
  'no-slot': { code: 'no-slot', why: 'the disk is full' },
  'install-failed': { code: 'install-failed', why: 'exit 1' },
  'base-missing': { code: 'base-missing', base: 'main', why: 'no such branch' },
  internal: { code: 'internal', why: 'a broken assumption' },
  'cancelled-by-person': { code: 'cancelled-by-person', by: 'ada', why: 'it was submitted again' },
};

/** What a text has to say of its cause: whoever or whatever holds the job. */
function named(cause: Cause): string[] {
  const fields = cause as Record<string, unknown>;
  const names = [
    'ticketId',
    'url',
    'path',
    'theirPath',
    'files',
    'why',
    'step',
    'agent',
    'base',
    'stage',
    'commands',
    'by',
  ];
  const said = names.flatMap((name) => fields[name] ?? []) as string[];
  return typeof fields.limit === 'number' ? [...said, String(fields.limit)] : said;
}

describe('why a job waits', () => {
  it.each(Object.values(SAMPLES))('$code: the holder is named, and what frees the job', (cause) => {
    expect(causeSchema.parse(cause)).toEqual(cause);
    const { text, frees } = explainCause(cause);
    for (const name of named(cause)) expect(text).toContain(name);
    expect(text).not.toMatch(/undefined|\[object/);
    expect(frees).toMatch(/\w/);
    expect(frees).not.toMatch(/undefined|\[object/);
    expect(text).not.toBe(frees);
  });

  it('a pause says until when, and a person whose name is not known is one all the same', () => {
    expect(explainCause({ code: 'backoff', untilAt: 61_000, why: 'w' }).frees).toBe(
      'the pause ends (1970-01-01 00:01:01 UTC)',
    );
    expect(explainCause({ code: 'held-by-person' }).text).toBe('held by a person');
    expect(explainCause({ code: 'cancelled-by-person' }).text).toBe('cancelled by a person');
  });

  it('what the audit found is said once, and freed where it is: a release goes on at the gate', () => {
    const why = 'audit: tests-never-run: 1 test file is picked up by no runner';
    expect(explainCause({ code: 'vacuous', step: 'audit', why })).toEqual({
      text: `the gate proved nothing: ${why}`,
      frees: 'mend or accept what the audit found, then release it',
    });
  });

  it.each(['machine', 'repository', 'user'] as const)('a cap says of what: %s', (scope) => {
    expect(explainCause({ code: 'cap', scope, limit: 2 }).text).toContain(scope);
  });

  it.each(['queued', 'running', 'held', 'merged', 'failed', 'cancelled'] as const)(
    'a job that is %s has an answer also without a cause',
    (state) => {
      const { text, frees } = explainJob({ state, base: 'main' });
      expect(text).toMatch(/\w/);
      expect(frees).toMatch(/\w/);
      const cause = SAMPLES['held-by-person'];
      expect(explainJob({ state, base: 'main', cause })).toEqual(explainCause(cause));
    },
  );

  it('a merged job names its base and commit, a running one its stage', () => {
    expect(explainJob({ state: 'merged', base: 'main', commit: '0123456789abcdef' }).text).toBe(
      'merged into main as 0123456789',
    );
    expect(explainJob({ state: 'running', stage: 'gate', base: 'main' }).text).toBe('it runs: gate');
  });
});
