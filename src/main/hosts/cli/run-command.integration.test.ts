import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { osUser } from '../../processes/os-user.ts';
import { processesWithVariable } from '../../processes/process-table.ts';
import { type JobLine, Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const FILES = {
  'src/index.ts': 'export {};\n',
  'src/a.ts': 'a\n',
  'src/b.ts': 'b\n',
  'src/c.ts': 'c\n',
  'src/d.ts': 'd\n',
  'README.md': 'readme\n',
};
const GATE = "node -e \"process.exit(require('fs').existsSync('BROKEN') ? 1 : 0)\"";
const append = (path: string, content: string) => ({ append: { path, content } });

/** Pairs of tickets that were both running at some moment. */
function overlaps(jobs: readonly JobLine[]): Set<string> {
  const running = new Set<string>();
  const pairs = new Set<string>();
  for (const line of jobs) {
    if (line.state !== 'running') {
      running.delete(line.ticket);
      continue;
    }
    running.add(line.ticket);
    for (const other of running)
      if (other !== line.ticket) pairs.add([other, line.ticket].toSorted().join('+'));
  }
  return pairs;
}

/** As a person does who reads the change first: the release shows it, and releases nothing. */
async function approve(place: Place, ticket: string): Promise<void> {
  const shown = await place.run('jobs', 'release', ticket);
  expect(shown.exit).toBe(1);
  const change = shown.lines.find(({ type }) => type === 'gate-change') as unknown as {
    hash: string;
    diff: string;
  };
  expect(change.diff).toMatch(/^diff --git /);
  const wrong = await place.run('jobs', 'release', ticket, '--approve-gate-change', '0000');
  expect(wrong).toMatchObject({ exit: 1, error: { code: 'not-allowed' } });
  expect((await place.run('jobs', 'release', ticket, '--approve-gate-change', change.hash)).exit).toBe(0);
}

describe('headway run', () => {
  it('merges what is disjoint side by side, and what is not one after another', async () => {
    const repo = place.repository('repo', {
      ...FILES,
      'package.json': JSON.stringify({
        name: 'x',
        version: '1.0.0',
        scripts: { test: 'node check.mjs' },
        dependencies: { dep: 'file:./dep' },
      }),
      'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }),
      'dep/index.js': 'module.exports = 1;\n',
      'package-lock.json': JSON.stringify({
        name: 'x',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { name: 'x', version: '1.0.0', dependencies: { dep: 'file:./dep' } },
          dep: { version: '1.0.0' },
          'node_modules/dep': { resolved: 'dep', link: true },
        },
      }),
      'check.mjs': "import one from 'dep'; if (one !== 1) process.exit(1); console.log('ok');\n",
      '.gitignore': 'node_modules\n',
    });
    const wait = { pause: '400ms' };
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [wait, append('src/a.ts', 'A\n')]),
      B: scripted({ id: 'B', paths: ['src/b.ts'] }, [wait, append('src/b.ts', 'B\n')]),
      C: scripted({ id: 'C', paths: ['src/c.ts'] }, [wait, append('src/c.ts', 'C\n'), { commit: 'mine' }]),
      D: scripted({ id: 'D', paths: ['src/d.ts'], dependsOn: ['A'] }, [append('src/d.ts', 'D\n')]),
      E: scripted({ id: 'E', paths: ['src/a.ts'] }, [append('src/a.ts', 'E\n')]),
      F: scripted({ id: 'F' }, [append('README.md', 'F\n')], 'Touches whatever it likes.'),
    });
    const result = await place.run('run', '--repo', repo, '--tickets', tickets, '--max', '4');
    expect(result.stderr).toBe('');
    expect(result.exit).toBe(0);
    expect(Object.values(result.summary).map((job) => [job.ticket, job.state, job.verdict])).toEqual(
      ['A', 'B', 'C', 'D', 'E', 'F'].map((id) => [id, 'merged', 'green']),
    );
    const pairs = overlaps(result.jobs);
    expect(pairs).toContain('A+B');
    expect(pairs).not.toContain('A+E');
    expect(pairs).not.toContain('A+D');
    expect([...pairs].filter((pair) => pair.includes('F'))).toEqual([]);
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nA\nE\n');
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
    expect(place.git(repo, 'branch', '--list')).toBe('* main');
    expect(place.git(repo, 'log', '--format=%B')).toContain('Headway-Ticket: F');
    for (const stage of ['slot', 'checkout', 'install', 'agent', 'gate', 'merge']) {
      expect(result.summary.A?.stages[stage]).toBeGreaterThanOrEqual(0);
    }
    const again = await place.run('run', '--repo', repo, '--tickets', tickets);
    expect(again.exit).toBe(0);
    expect(again.summary.A?.commit).toBe(result.summary.A?.commit);
    expect(place.git(repo, 'log', '--format=%s')).toBe(place.git(repo, 'log', '--format=%s', 'main'));
  });

  it('runs a job again on the new base where two wrote the same undeclared file, and loses neither', async () => {
    const repo = place.repository('repo', FILES);
    const meet = (name: string) => [
      {
        run: `node -e "const fs=require('fs'),p='${place.root}/';fs.writeFileSync(p+'${name}','');(function w(){if(fs.existsSync(p+'A')&&fs.existsSync(p+'B'))return;setTimeout(w,20)})()"`,
      },
    ];
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
        ...meet('A'),
        append('src/a.ts', 'A\n'),
        append('src/index.ts', "export * from './a';\n"),
      ]),
      B: scripted({ id: 'B', paths: ['src/b.ts'] }, [
        ...meet('B'),
        append('src/b.ts', 'B\n'),
        append('src/index.ts', "export * from './b';\n"),
      ]),
    });
    const result = await place.run('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
    expect(result.exit).toBe(0);
    expect(result.summary.A?.strayed).toEqual(['src/index.ts']);
    expect(result.summary.B?.strayed).toEqual(['src/index.ts']);
    expect((result.summary.A?.attempts ?? 0) + (result.summary.B?.attempts ?? 0)).toBe(3);
    expect(result.jobs.map((line) => line.cause?.code)).toContain('merge-conflict');
    const index = readFileSync(join(repo, 'src/index.ts'), 'utf8');
    expect(index).toContain("'./a'");
    expect(index).toContain("'./b'");
  });

  it('never merges what no gate checks, what is red, and what changed nothing', async () => {
    const repo = place.repository('repo', FILES);
    const before = place.git(repo, 'rev-parse', 'main');
    const ungated = await place.run(
      'run',
      '--repo',
      repo,
      '--agent',
      'scripted',
      '--tickets',
      place.tickets('one', { U: scripted({ id: 'U', paths: ['src/a.ts'] }, [append('src/a.ts', 'x\n')]) }),
    );
    expect(ungated.exit).toBe(1);
    expect(ungated.summary.U).toMatchObject({
      state: 'held',
      verdict: 'ungated',
      cause: { code: 'ungated' },
    });
    const red = await place.run(
      'run',
      '--repo',
      repo,
      '--gate',
      GATE,
      '--tickets',
      place.tickets('two', {
        R: scripted({ id: 'R', paths: ['BROKEN'] }, [{ write: { path: 'BROKEN', content: '' } }]),
        N: scripted({ id: 'N', paths: ['src/b.ts'] }, [{ print: 'nothing' }]),
        X: scripted({ id: 'X', paths: ['src/c.ts'] }, [append('src/c.ts', 'x\n'), { exit: 3 }]),
        D: scripted({ id: 'D', paths: ['src/d.ts'], dependsOn: ['R'] }, [append('src/d.ts', 'x\n')]),
      }),
    );
    expect(red.exit).toBe(1);
    expect(red.summary.R).toMatchObject({ state: 'failed', verdict: 'red', cause: { code: 'gate-red' } });
    expect(red.summary.N).toMatchObject({ state: 'failed', cause: { code: 'no-changes' } });
    expect(red.summary.X).toMatchObject({ state: 'failed', cause: { code: 'agent-failed', exit: 3 } });
    expect(red.summary.D).toMatchObject({
      state: 'held',
      cause: { code: 'dependency-failed', ticketId: 'R' },
    });
    expect(place.git(repo, 'rev-parse', 'main')).toBe(before);
  });

  it("leaves the user's uncommitted work alone, says that it waits for it, and lands without a second agent run", async () => {
    const repo = place.repository('repo', FILES);
    writeFileSync(join(repo, 'src/a.ts'), 'mine, unsaved\n');
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
        append('src/a.ts', 'A\n'),
        { run: `echo ran >> ${place.root}/runs` },
      ]),
    });
    const args = ['run', '--repo', repo, '--tickets', tickets, '--gate', GATE, '--no-wait'];
    const waiting = await place.run(...args);
    expect(waiting.exit).toBe(1);
    expect(waiting.summary.A).toMatchObject({
      state: 'held',
      cause: { code: 'uncommitted-work', files: ['src/a.ts'] },
    });
    expect(waiting.summary.A?.reason).toContain('src/a.ts');
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('mine, unsaved\n');
    place.git(repo, 'checkout', '-q', '--', 'src/a.ts');
    const landed = await place.run(...args);
    expect(landed.summary.A).toMatchObject({ state: 'merged', attempts: 2 });
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nA\n');
    expect(readFileSync(join(place.root, 'runs'), 'utf8')).toBe('ran\n');
  });

  it('goes on after kill -9: every job merges once and nothing is left running', async () => {
    const repo = place.repository('repo', FILES);
    const steps = (path: string) => [{ run: 'node -e "setTimeout(()=>{}, 600)"' }, append(path, 'x\n')];
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, steps('src/a.ts')),
      B: scripted({ id: 'B', paths: ['src/b.ts'] }, steps('src/b.ts')),
      C: scripted({ id: 'C', paths: ['src/a.ts'] }, steps('src/a.ts')),
    });
    const args = ['run', '--repo', repo, '--tickets', tickets, '--gate', GATE];
    const first = place.start(...args);
    const line = (await first.line((each) => each.type === 'job' && each.stage === 'agent')) as JobLine;
    first.child.kill('SIGKILL');
    await first.finished;
    const second = await place.run(...args);
    expect(second.exit).toBe(0);
    expect(readFileSync(join(repo, 'src/a.ts'), 'utf8')).toBe('a\nx\nx\n');
    expect(readFileSync(join(repo, 'src/b.ts'), 'utf8')).toBe('b\nx\n');
    expect(second.summary[line.ticket]?.attempts).toBeGreaterThanOrEqual(2);
    expect(await processesWithVariable('HEADWAY_JOB', line.job)).toEqual([]);
  });

  it.each([
    ['by Ctrl-C', ['SIGINT']],
    ['by a signal to process and group at once, as `timeout` sends it', ['SIGTERM', 'SIGTERM']],
  ] as const)('puts running jobs back when it is ended %s, and cuts their agents', async (_, signals) => {
    const repo = place.repository('repo', FILES);
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [{ run: 'trap "" TERM; sleep 300' }]),
    });
    const running = place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
    const line = (await running.line((each) => each.type === 'job' && each.stage === 'agent')) as JobLine;
    for (const signal of signals) running.child.kill(signal);
    expect((await running.finished).exit).toBe(130);
    expect(await processesWithVariable('HEADWAY_JOB', line.job)).toEqual([]);
    const jobs = await place.run('jobs');
    expect(jobs.lines[0]).toMatchObject({ jobs: [{ ticket: 'A', state: 'queued' }] });
  });

  it('cancels a running job from another process', async () => {
    const repo = place.repository('repo', FILES);
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [{ run: 'sleep 300' }]),
    });
    const running = place.start('run', '--repo', repo, '--tickets', tickets, '--gate', GATE);
    await running.line((each) => each.type === 'job' && each.stage === 'agent');
    expect((await place.run('why', 'A')).lines[0]).toMatchObject({ state: 'running', stage: 'agent' });
    expect((await place.run('jobs', 'cancel', 'A')).exit).toBe(0);
    const result = await running.finished;
    expect(result.exit).toBe(1);
    expect(result.summary.A).toMatchObject({ state: 'cancelled', cause: { code: 'cancelled-by-person' } });
    expect(result.summary.A?.reason).toBe(`cancelled by ${osUser()}`);
  });

  it('asks again when the commands that a repository brings have changed', async () => {
    const repo = place.repository('repo', {
      ...FILES,
      'headway.yaml': `gate:\n  - ${JSON.stringify(GATE)}\n`,
    });
    const one = (id: string) =>
      place.tickets(id, { [id]: scripted({ id, paths: ['src/a.ts'] }, [append('src/a.ts', `${id}\n`)]) });
    expect((await place.run('run', '--repo', repo, '--tickets', one('A'))).exit).toBe(0);
    writeFileSync(join(repo, 'headway.yaml'), `gate:\n  - ${JSON.stringify(`${GATE} -- again`)}\n`);
    place.git(repo, 'commit', '-qam', 'other gate');
    const held = await place.run('run', '--repo', repo, '--tickets', one('B'));
    expect(held.exit).toBe(1);
    expect(held.summary.B).toMatchObject({ state: 'held', cause: { code: 'needs-trust' }, attempts: 1 });
    const agreed = await place.run('run', '--repo', repo, '--tickets', one('B'), '--trust');
    expect(agreed.summary.B).toMatchObject({ state: 'merged' });
  });

  it('holds a change of its own gate for a person, whose release lets it through', async () => {
    const repo = place.repository('repo', {
      ...FILES,
      'headway.yaml': `gate:\n  - ${JSON.stringify(GATE)}\n`,
    });
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A' }, [{ write: { path: 'headway.yaml', content: 'gate: []\n' } }], 'Weaken it.'),
    });
    const result = await place.run('run', '--repo', repo, '--tickets', tickets);
    expect(result.summary.A).toMatchObject({
      state: 'held',
      verdict: 'tampered',
      cause: { files: ['headway.yaml'] },
    });
    await approve(place, 'A');
    expect((await place.run('run', '--repo', repo, '--tickets', tickets)).summary.A?.state).toBe('merged');
  });

  it('asks again after such a release where a conflict lets the agent run once more', async () => {
    const repo = place.repository('repo', {
      ...FILES,
      'headway.yaml': `gate:\n  - ${JSON.stringify(GATE)}\nprotect: [rules.txt]\n`,
      'rules.txt': 'strict\n',
    });
    const steps = [{ write: { path: 'rules.txt', content: 'lax\n' } }];
    const tickets = place.tickets('tickets', { A: scripted({ id: 'A' }, steps, 'Weaken it.') });
    await place.run('run', '--repo', repo, '--tickets', tickets);
    await approve(place, 'A');
    writeFileSync(join(repo, 'rules.txt'), 'stricter\n');
    place.git(repo, 'commit', '-qam', 'stricter');
    const result = await place.run('run', '--repo', repo, '--tickets', tickets);
    expect(result.summary.A).toMatchObject({ state: 'held', cause: { code: 'tampered' }, attempts: 3 });
    expect(readFileSync(join(repo, 'rules.txt'), 'utf8')).toBe('stricter\n');
  });

  it('runs any command line as an agent, with the prompt as data and never as shell text', async () => {
    const repo = place.repository("it's a repo", FILES);
    const tickets = place.tickets('tickets', {
      T: `---\nid: T\ntitle: 'feat: "x" ../../etc 🚀 -rf $(touch PWNED) ${'y'.repeat(120)}'\npaths: [src]\n---\nSay $(touch PWNED) \`touch PWNED\` "quoted" 'single'\n`,
    });
    const result = await place.run(
      'run',
      '--repo',
      repo,
      '--tickets',
      tickets,
      '--gate',
      GATE,
      '--agent',
      'command: printf %s {prompt} > src/said.txt && cat "$HEADWAY_PROMPT_FILE" > src/file.txt && echo $HEADWAY_TICKET >> src/file.txt',
    );
    expect(result.summary.T).toMatchObject({ state: 'merged', files: ['src/file.txt', 'src/said.txt'] });
    expect(readFileSync(join(repo, 'src/said.txt'), 'utf8')).toContain(
      'Say $(touch PWNED) `touch PWNED` "quoted"',
    );
    expect(existsSync(join(repo, 'PWNED'))).toBe(false);
    expect(place.git(repo, 'check-ref-format', '--branch', result.summary.T?.branch ?? '')).toBe(
      result.summary.T?.branch,
    );
  });

  it('gives jobs that run at once temp directories and ports of their own, in agent and gate', async () => {
    const repo = place.repository('repo', FILES);
    const log = join(place.root, 'log');
    const said = 'echo $HEADWAY_TICKET $TMPDIR $HEADWAY_PORT $HEADWAY_LAST_PORT';
    const work = (path: string) => [{ run: `${said} >> ${log}` }, { pause: '1s' }, append(path, 'x\n')];
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, work('src/a.ts')),
      B: scripted({ id: 'B', paths: ['src/b.ts'] }, work('src/b.ts')),
    });
    const gate = `${said} >> ${log}; ${GATE}`;
    const result = await place.run('run', '--repo', repo, '--tickets', tickets, '--gate', gate);
    expect(result.exit).toBe(0);
    const lines = [...new Set(readFileSync(log, 'utf8').trim().split('\n'))].toSorted();
    // A gate has nothing in common with an agent, not even its own.
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['A', 'A', 'B', 'B']);
    const values = lines.flatMap((line) => line.split(' ').slice(1));
    expect(values).toHaveLength(4 * 3);
    expect(new Set(values).size).toBe(values.length);
  });

  it('treats a repository behind a link as the same, and two clones as two', async () => {
    const repo = place.repository('repo', FILES);
    symlinkSync(repo, join(place.root, 'link'));
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [append('src/a.ts', 'x\n')]),
    });
    const args = ['--tickets', tickets, '--gate', GATE];
    const first = await place.run('run', '--repo', repo, ...args);
    const second = await place.run('run', '--repo', join(place.root, 'link'), ...args);
    expect(second.summary.A?.job).toBe(first.summary.A?.job);
    place.git(place.root, 'clone', '-q', repo, 'other');
    place.git(join(place.root, 'other'), 'reset', '-q', '--hard', 'HEAD~1');
    const third = await place.run('run', '--repo', join(place.root, 'other'), ...args);
    expect(third.summary.A?.state).toBe('merged');
    expect(third.summary.A?.job).not.toBe(first.summary.A?.job);
  });
});

describe('several runs on one data directory', () => {
  it('share it: what conflicts is never worked on at once, and all of it merges', async () => {
    const repo = place.repository('repo', FILES);
    const log = join(place.root, 'log');
    const work = (id: string) => [
      { run: `echo begin ${id} >> ${log}` },
      { pause: '300ms' },
      append('src/a.ts', `${id}\n`),
      { run: `echo end ${id} >> ${log}` },
    ];
    const start = (id: string) =>
      place.run(
        'run',
        '--repo',
        repo,
        '--gate',
        GATE,
        '--tickets',
        place.tickets(id, { [id]: scripted({ id, paths: ['src/a.ts'] }, work(id)) }),
      );
    const results = await Promise.all([start('A'), start('B'), start('C')]);
    expect(results.map((result) => result.exit)).toEqual([0, 0, 0]);
    const words = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    for (let index = 0; index < words.length; index += 2) {
      expect(words.slice(index, index + 2)).toEqual([
        ['begin', words[index]?.[1]],
        ['end', words[index]?.[1]],
      ]);
    }
  });

  it('are not held up by what another repository left in the queue', async () => {
    const one = place.repository('one', FILES);
    const two = place.repository('two', FILES);
    const tickets = (name: string, steps: unknown[]) =>
      place.tickets(name, { A: scripted({ id: 'A', paths: ['src/a.ts'] }, steps) });
    const first = place.start(
      'run',
      '--repo',
      one,
      '--tickets',
      tickets('t1', [{ run: 'sleep 300' }]),
      '--gate',
      GATE,
    );
    await first.line((line) => line.type === 'job' && line.stage === 'agent');
    first.child.kill('SIGKILL');
    await first.finished;
    const second = await place.run(
      'run',
      '--repo',
      two,
      '--max',
      '1',
      '--gate',
      GATE,
      '--tickets',
      tickets('t2', [append('src/a.ts', 'x\n')]),
    );
    expect(second.summary.A?.state).toBe('merged');
    const jobs = (await place.run('jobs')).lines[0] as unknown as {
      jobs: { state: string; attempts: number }[];
    };
    expect(jobs.jobs.map(({ state, attempts }) => [state, attempts]).toSorted()).toEqual([
      ['merged', 1],
      ['queued', 1],
    ]);
  });
});

describe('bad input ends with exit code 2 before anything starts', () => {
  const ticket = scripted({ id: 'A', paths: ['src/a.ts'] }, [append('src/a.ts', 'x\n')]);

  it('for a path that is no repository, has no commit, or is missing', async () => {
    const tickets = place.tickets('tickets', { A: ticket });
    const plain = join(place.root, 'plain');
    mkdirSync(plain);
    const empty = join(place.root, 'empty');
    mkdirSync(empty);
    place.git(empty, 'init', '-q');
    const headless = place.repository('headless', FILES);
    place.git(headless, 'checkout', '-q', '--detach');
    place.git(headless, 'branch', '-q', '-D', 'main');
    for (const [repo, says] of [
      [plain, /git/],
      [empty, /commit/],
      [join(place.root, 'nowhere'), /nowhere/],
      [headless, /git switch -c main/],
    ] as const) {
      const result = await place.run('run', '--repo', repo, '--tickets', tickets);
      expect(result.exit).toBe(2);
      expect(result.error?.message).toMatch(says);
    }
  });

  it('for a policy with a typo, which says that the commit is what counts', async () => {
    const repo = place.repository('repo', { ...FILES, 'headway.yaml': 'gate:\n  - rnu: npm test\n' });
    place.write('repo/headway.yaml', 'gate: [npm test]\n');
    const result = await place.run('run', '--repo', repo, '--tickets', place.write('t.md', ticket));
    expect(result.exit).toBe(2);
    expect(result.error?.message).toMatch(/^headway\.yaml:2: .*did you mean run\?.*commit that on the base/);
  });

  it('for a data directory that cannot be used, with the reason', async () => {
    place.env.HEADWAY_HOME = place.write('file', 'x');
    const result = await place.run('jobs');
    expect(result.exit).toBe(2);
    expect(result.error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/file cannot be used: .* is a file\. .*HEADWAY_HOME/),
    });
  });

  it('for a base branch that is not there, an unknown agent, and tickets that are wrong, with file and line', async () => {
    const repo = place.repository('repo', FILES);
    const run = (text: string, ...more: string[]) =>
      place.run('run', '--repo', repo, '--tickets', place.write('t.md', text), '--gate', GATE, ...more);
    expect((await run(ticket, '--base', 'mian')).error?.message).toMatch(/mian.*main/s);
    const unknown = ticket.replace('agent: scripted', 'agent: scriptd');
    expect((await run(unknown)).error?.message).toMatch(/^t\.md:2: .*did you mean 'scripted'/);
    // Also where no ticket needs it.
    expect((await run(ticket, '--agent', 'nobody')).error?.message).toMatch(/^agent 'nobody' is not known/);
    const typo = await run('---\nid: A\npath: [src]\n---\ntext\n');
    expect(typo.exit).toBe(2);
    expect(typo.error?.message).toMatch(/t\.md:3: .*path.*paths/);
    expect((await run('---\nid: A\ndependsOn: [A]\n---\ntext\n')).error?.message).toMatch(/t\.md:3/);
    expect((await run('---\nid: A\npaths: [../x]\n---\ntext\n')).error?.message).toMatch(/t\.md:3/);
    expect((await run('no front matter, no problem', '--agent', 'nobody')).exit).toBe(2);
    expect(place.git(repo, 'log', '--oneline').split('\n')).toHaveLength(1);
  });

  it('for a command or option that does not exist, in JSON too, with what was meant', async () => {
    for (const [says, ...args] of [
      [/Did you mean run\?/, 'rnu'],
      [/Did you mean cancel\?/, 'jobs', 'cancle', 'A'],
      [/--tickets/, 'run', '--repo', '.'],
      [/Did you mean --repo\?/, 'saved', '--rpo', '.'],
      [/whole number/, 'run', '--repo', '.', '--tickets', '.', '--max', 'many'],
      [/run, audit, prove/, 'gate'],
      [/did you mean maxJobs/, 'settings', 'get', 'maxjob'],
      [/'slts' \(Did you mean slots\?\)/, 'help', 'slts'],
      // What an unset variable of a script leaves: neither the working directory nor the policy is meant.
      [/--repo' is empty/, 'run', '--repo', '', '--tickets', '.'],
      [/--gate' is empty/, 'run', '--repo', '.', '--tickets', '.', '--gate', 'npm test', '--gate', ' '],
      [/--repo' is empty/, 'slots', 'warm', '--repo', '', '--count', '1'],
    ] as const) {
      const result = await place.run(...args);
      expect([result.exit, result.lines.length, result.stderr]).toEqual([2, 1, '']);
      expect(result.error).toMatchObject({ code: 'bad-input', message: expect.stringMatching(says) });
    }
    const slot = await place.run('slots', 'remove', 's9');
    expect([slot.exit, slot.error?.message]).toEqual([2, expect.stringMatching(/s9; `headway slots` lists/)]);
  });
});
