import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeAgent } from './testing/fake-agent.ts';
import { type Finished, type Line, Place, type Running, scripted } from './testing/headway.ts';

/*
 * A night in small: 24 tickets of three kinds of agents, a usage limit in the middle of it, a person who edits and commits
 * meanwhile, and two kills. Nothing is asked of the person that time would have solved.
 */

const TICKETS = Array.from({ length: 24 }, (_, index) => `T${String(index + 1).padStart(2, '0')}`);
const KINDS = ['scripted', 'claude-code', 'command: hand {prompt}'];
const LIMIT_MS = 5_000;

/** Its third call, and all until the reset, meet the limit of the account. */
const CLAUDE = `
if (index === 2) require('node:fs').writeFileSync(UNTIL, String(Math.ceil(Date.now() / 1000) * 1000 + ${LIMIT_MS}));
const resetAt = Number(require('node:fs').readFileSync(UNTIL, 'utf8'));
say({ type: 'system', subtype: 'init' });
if (Date.now() < resetAt) {
  say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: resetAt / 1000, rateLimitType: 'five_hour' } });
  say({ type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: "You've hit your limit" });
  process.exit(1);
}
write(/write (\\S+)/.exec(prompt)[1], 'by claude\\n');
say({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' });
`;

let place: Place;
let repo: string;
beforeEach(() => {
  place = new Place();
  const files = Object.fromEntries(TICKETS.map((id) => [`${id}.txt`, '']));
  repo = place.repository('repo', { ...files, 'notes.md': 'notes\n' });
});
afterEach(async () => {
  await place.close();
});

/** Every sixth ticket also writes the person's notes, so that what they have not saved is in its way. */
function ticket(id: string, index: number): string {
  const kind = KINDS[index % KINDS.length] as string;
  const alsoNotes = index % 6 === 0;
  const paths = alsoNotes ? [`${id}.txt`, 'notes.md'] : [`${id}.txt`];
  if (kind !== 'scripted') {
    return `---\nid: ${id}\npaths: [${paths}]\nagent: ${JSON.stringify(kind)}\n---\nwrite ${id}.txt\n`;
  }
  const write = { write: { path: `${id}.txt`, content: 'by script\n' } };
  const note = { append: { path: 'notes.md', content: `${id}\n` } };
  return scripted({ id, paths }, alsoNotes ? [write, note] : [write]);
}

const stateOf = (line: Line, state: string): boolean => line.type === 'job' && line.state === state;
/** Kills the run once so many jobs are merged in it. */
async function killAfter(running: Running, merged: number): Promise<Finished> {
  let seen = 0;
  await running.line((line) => stateOf(line, 'merged') && ++seen === merged);
  running.child.kill('SIGKILL');
  return running.finished;
}

it.runIf(process.platform !== 'win32')(
  'merges every ticket of a night once, through a limit, a person and two kills',
  async () => {
    const until = join(place.root, 'claude.until');
    const claude = new FakeAgent(place, 'claude', CLAUDE.replaceAll('UNTIL', JSON.stringify(until)));
    new FakeAgent(place, 'hand', "write(/write (\\S+)/.exec(args.at(-1))[1], 'by hand\\n');");
    const tickets = place.tickets(
      'tickets',
      Object.fromEntries(TICKETS.map((id, at) => [id, ticket(id, at)])),
    );
    const gate = "node -e \"process.exit(require('fs').readdirSync('.').length > 20 ? 0 : 1)\"";
    const start = (): Running =>
      place.start('run', '--repo', repo, '--tickets', tickets, '--max', '4', '--gate', gate);

    await killAfter(start(), 4);
    // The person writes into the notes that a ticket touches, and leaves it there until a job waits for it.
    writeFileSync(join(repo, 'notes.md'), `${readFileSync(join(repo, 'notes.md'), 'utf8')}unsaved\n`);
    const second = start();
    await second.line((line) => line.type === 'job' && line.reason?.toString().includes('notes.md') === true);
    place.git(repo, 'commit', '-qam', 'notes of a person');
    await killAfter(second, 4);
    const last = await start().finished;

    expect(last.stderr).toBe('');
    expect(last.exit).toBe(0);
    expect(Object.values(last.summary).filter(({ state }) => state !== 'merged')).toEqual([]);
    expect(Object.keys(last.summary).sort()).toEqual(TICKETS);
    const log = place.git(
      repo,
      'log',
      '--first-parent',
      '--format=%(trailers:key=Headway-Ticket,valueonly)%s',
    );
    const landed = log.split('\n').filter((line) => TICKETS.includes(line));
    expect(landed.sort()).toEqual(TICKETS);
    expect(log).toContain('notes of a person');
    expect(readFileSync(join(repo, 'notes.md'), 'utf8')).toContain('unsaved\n');
    for (const id of TICKETS) expect(readFileSync(join(repo, `${id}.txt`), 'utf8')).toMatch(/^by /);
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
    // One call met the limit; those that ran beside it may have met it too, and then none asked before the reset.
    const resetAt = Number(readFileSync(until, 'utf8'));
    const refused = claude.calls.filter(({ atMs }, index) => index >= 2 && atMs < resetAt);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(4);
  },
  300_000, // three runs of many jobs: the limit is for one that hangs
);
