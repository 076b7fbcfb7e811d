import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const FILES = {
  'package.json':
    '{"name":"x","private":true,"type":"module","scripts":{"test":"node --test src/*.test.js"}}\n',
  'headway.yaml': 'gate: [npm test]\nmerge: { proof: 7d }\n',
  'src/a.js': 'export const bigger = (a, b) => a > b;\n',
  'src/a.test.js':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { bigger } from './a.js';\ntest('a', () => assert.ok(bigger(2, 1)));\n",
};
const HOLED = { ...FILES, 'other/alone.js': 'export const half = (a) => a - 2;\n' };

describe.runIf(process.platform !== 'win32')('a policy that wants a proof before it merges', () => {
  const setUp = (files: Record<string, string> = FILES) => {
    const repo = place.repository('repo', files);
    const log = join(place.root, 'agent-runs');
    const steps = [{ append: { path: 'src/a.js', content: '// A\n' } }, { run: `echo run >> '${log}'` }];
    const tickets = place.tickets('tickets', { A: scripted({ id: 'A', paths: ['src'] }, steps) });
    return {
      repo,
      run: () => place.run('run', '--repo', repo, '--tickets', tickets),
      agentRuns: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0),
    };
  };

  it('holds green work and says what is missing; a proof frees it without another run of the agent', async () => {
    const { repo, run, agentRuns } = setUp();
    const held = await run();
    expect(held.exit).toBe(1);
    expect(held.summary.A).toMatchObject({
      state: 'held',
      verdict: 'green',
      cause: { code: 'needs-proof', lack: { kind: 'missing' } },
    });
    const why = await place.run('why', 'A');
    expect(JSON.stringify(why.lines)).toContain(
      'wants a proof of the gate before it merges, and there is none',
    );
    expect(JSON.stringify(why.lines)).toContain('headway gate prove');
    // Again without a proof: still held, and still one run of the agent.
    expect((await run()).summary.A).toMatchObject({ state: 'held', cause: { code: 'needs-proof' } });
    const proved = await place.run('gate', 'prove', '--repo', repo);
    expect(proved.exit, proved.stderr).toBe(0);
    expect(JSON.stringify((await place.run('jobs')).lines)).toContain('"state":"queued"');
    expect((await run()).summary.A).toMatchObject({ state: 'merged' });
    expect(agentRuns()).toBe(1);
  });

  it('calls a proof of another gate stale, also where only a program of the gate is another', async () => {
    const { repo, run } = setUp({
      ...FILES,
      'headway.yaml': 'gate: [npm test, node check.mjs]\nmerge: { proof: fresh }\n',
      'check.mjs':
        "import { readFileSync } from 'node:fs';\nconsole.log(readFileSync('src/a.js', 'utf8').length, 'looked at');\n",
    });
    await place.run('gate', 'prove', '--repo', repo);
    writeFileSync(join(repo, 'check.mjs'), "console.log('looked at nothing');\n");
    place.git(repo, 'commit', '-qam', 'weaker');
    expect((await run()).summary.A).toMatchObject({
      state: 'held',
      cause: { code: 'needs-proof', lack: { kind: 'stale' } },
    });
  });

  it('is not content with holes; a person may let it through', async () => {
    const { repo, run, agentRuns } = setUp(HOLED);
    expect((await place.run('gate', 'prove', '--repo', repo)).exit).toBe(1);
    const held = await run();
    expect(held.summary.A).toMatchObject({
      state: 'held',
      cause: { code: 'needs-proof', lack: { kind: 'holes' } },
    });
    expect(held.summary.A?.reason).toContain('unseen');
    expect((await place.run('jobs', 'release', 'A')).exit).toBe(0);
    expect((await run()).summary.A).toMatchObject({ state: 'merged' });
    expect(agentRuns()).toBe(1);
  });

  it('takes holes for none that the policy accepts with a reason', async () => {
    const { repo, run } = setUp({
      ...HOLED,
      'headway.yaml': `${FILES['headway.yaml']}accept:\n  - { finding: unseen-break, files: [other], reason: a toy }\n`,
    });
    expect((await place.run('gate', 'prove', '--repo', repo)).exit).toBe(0);
    expect((await run()).summary.A).toMatchObject({ state: 'merged', attempts: 1 });
  });
});
