import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeAgent } from './testing/fake-agent.ts';
import { type JobLine, Place, scripted } from './testing/headway.ts';

const GATE = ['--gate', 'grep -q by *.txt'];
const LIMIT_MS = 6_000;

/** What Claude Code prints at its limit, and otherwise a file that is named like the ticket's path. */
const CLAUDE = `
const file = /write (\\S+)/.exec(prompt)[1];
if (index === 0 && until === 0) {
  const at = Math.ceil(Date.now() / 1000) + ${LIMIT_MS / 1000};
  require('node:fs').writeFileSync(UNTIL, String(at * 1000));
}
const resetAt = Number(require('node:fs').readFileSync(UNTIL, 'utf8'));
say({ type: 'system', subtype: 'init' });
if (Date.now() < resetAt) {
  say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: resetAt / 1000, rateLimitType: 'five_hour', isUsingOverage: false } });
  say({ type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: "You've hit your limit · resets 3pm (Europe/Berlin)" });
  process.exit(1);
}
write(file, 'by claude');
say({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: resetAt / 1000 + 18000 } });
say({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' });
`;

let place: Place;
let repo: string;
beforeEach(() => {
  place = new Place();
  repo = place.repository('repo', { 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '' });
});
afterEach(async () => {
  await place.close();
});

const claude = (): FakeAgent =>
  new FakeAgent(place, 'claude', CLAUDE.replaceAll('UNTIL', JSON.stringify(`${place.root}/claude.until`)));
const ticket = (id: string, agent: string): string =>
  `---\nid: ${id}\npaths: [${id.toLowerCase()}.txt]\nagent: ${JSON.stringify(agent)}\n---\nwrite ${id.toLowerCase()}.txt\n`;
const states = (summary: Record<string, { state: string; attempts: number }>) =>
  Object.entries(summary).map(([id, { state }]) => `${id} ${state}`);
const isPaused = (line: { type: string }, id: string): boolean =>
  line.type === 'job' &&
  (line as JobLine).ticket === id &&
  (line as JobLine).cause?.code === 'account-paused';

describe.runIf(process.platform !== 'win32')('a usage limit', () => {
  it('pauses its account until its reset, for all its jobs and no others, and counts no attempt', async () => {
    const agent = claude();
    const tickets = place.tickets('tickets', {
      A: ticket('A', 'claude-code'),
      B: ticket('B', 'claude-code'),
      C: ticket('C', 'claude-code'),
      D: scripted({ id: 'D', paths: ['d.txt'] }, [{ write: { path: 'd.txt', content: 'by script' } }]),
    });
    await place.run('settings', 'set', 'maxAttempts', '1');
    const running = place.start('run', '--repo', repo, '--tickets', tickets, '--max', '1', ...GATE);
    const paused = (await running.line((line) => isPaused(line, 'B'))) as JobLine;
    expect(paused.reason).toContain("Claude Code's login is paused until");
    expect(paused.reason).toContain("You've hit your limit");
    // Another process on the data directory says the same.
    const why = await place.run('why', 'C');
    expect(JSON.stringify(why.lines)).toContain("Claude Code's login is paused until");
    const listed = await place.run('accounts');
    expect(listed.lines).toMatchObject([
      { type: 'accounts', paused: [{ id: 'claude-login', untilAt: agent.until }] },
    ]);
    const result = await running.finished;
    expect(result.stderr).toBe('');
    expect(states(result.summary)).toEqual(['A merged', 'B merged', 'C merged', 'D merged']);
    const merged = (id: string): number =>
      result.jobs.find((job) => job.ticket === id && job.state === 'merged')?.at ?? 0;
    // The only seat was free for another account meanwhile, however slow this machine is.
    expect(merged('D')).toBeLessThan(Math.min(...['A', 'B', 'C'].map(merged)));
    // One was refused; nobody asked again before the reset, and then each once.
    expect(agent.calls).toHaveLength(4);
    expect(agent.calls.slice(1).filter(({ atMs }) => atMs < agent.until)).toEqual([]);
  });

  it('is known to the next start, and ends when a person says so', async () => {
    const agent = claude();
    // Hours, not seconds: nothing of it may be left to the clock.
    agent.setUntil(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const tickets = place.tickets('tickets', {
      A: ticket('A', 'claude-code'),
      B: ticket('B', 'claude-code'),
    });
    const first = place.start('run', '--repo', repo, '--tickets', tickets, '--max', '1', ...GATE);
    await first.line((line) => isPaused(line, 'B'));
    first.child.kill('SIGKILL');
    await first.finished;
    const second = place.start('run', '--repo', repo, '--tickets', tickets, '--max', '1', ...GATE);
    await second.line((line) => isPaused(line, 'A') || isPaused(line, 'B'));
    expect(agent.calls).toHaveLength(1);
    agent.setUntil(1);
    expect((await place.run('accounts', 'resume', 'codex')).error?.message).toContain(
      'Paused are: claude-login',
    );
    expect((await place.run('accounts', 'resume', 'claude-login')).exit).toBe(0);
    expect(states((await second.finished).summary)).toEqual(['A merged', 'B merged']);
  });

  it("is read from a program's last words, which pause that program's account alone", async () => {
    const codex = new FakeAgent(
      place,
      'codex',
      `
if (index === 0) {
  say('I begin.');
  console.error("ERROR: You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 4 seconds.");
  process.exit(1);
}
write(args.at(-1).includes('write a.txt') ? 'a.txt' : 'b.txt', 'by codex');`,
    );
    const line = 'command: codex exec {prompt}';
    const tickets = place.tickets('tickets', {
      A: ticket('A', line),
      B: ticket('B', line),
      C: ticket('C', 'command: other'),
    });
    new FakeAgent(place, 'other', "write('c.txt', 'by another');");
    const result = await place.run('run', '--repo', repo, '--tickets', tickets, '--max', '1', ...GATE);
    expect(states(result.summary)).toEqual(['A merged', 'B merged', 'C merged']);
    const [refused = 0, ...later] = codex.calls.map(({ atMs }) => atMs);
    expect(later).toHaveLength(2);
    expect(Math.min(...later) - refused).toBeGreaterThanOrEqual(4_000);
    const reason = result.jobs.find((job) => job.cause?.code === 'account-paused')?.reason;
    expect(reason).toContain('the account of codex is paused until');
    expect(reason).toContain("You've hit your usage limit");
    const merged = result.jobs.filter((job) => job.state === 'merged').map((job) => job.ticket);
    expect(merged[0]).toBe('C');
  });

  it('is believed of a program that ends well only where it changed nothing', async () => {
    new FakeAgent(
      place,
      'opencode',
      `
if (index > 0 || args.at(-1).includes('write a.txt')) write(args.at(-1).includes('write a.txt') ? 'a.txt' : 'b.txt', 'by opencode');
say('Error: rate limit exceeded, try again in 2 seconds');`,
    );
    const line = 'command: opencode run {prompt}';
    const tickets = place.tickets('tickets', { B: ticket('B', line) });
    const result = await place.run('run', '--repo', repo, '--tickets', tickets, ...GATE);
    expect(states(result.summary)).toEqual(['B merged']);
    expect(result.summary.B?.attempts).toBe(2);
    const written = place.tickets('more', { A: ticket('A', line) });
    const other = await place.run('run', '--repo', repo, '--tickets', written, ...GATE);
    expect(other.summary.A).toMatchObject({ state: 'merged', attempts: 1 });
  });
});
