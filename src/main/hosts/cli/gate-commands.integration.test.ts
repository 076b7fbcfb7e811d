import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

const FILES = {
  'package.json': '{"name":"x","private":true,"scripts":{"test":"node --test"}}\n',
  'a.test.js': "require('node:test')('adds', () => {});\n",
};

describe.runIf(process.platform !== 'win32')('headway gate run', () => {
  it('gives each verdict an exit code of its own, with the evidence of its steps', async () => {
    const repo = place.repository('repo', FILES);
    const gate = async (...args: string[]) => {
      const { exit, lines, error } = await place.run('gate', 'run', '--repo', repo, ...args);
      return { exit, error, line: lines.find(({ type }) => type === 'gate') };
    };
    expect(await gate()).toMatchObject({
      exit: 0,
      line: {
        verdict: 'green',
        steps: [{ command: 'npm test', exit: 0, verdict: 'green', evidence: { testsPassed: 1 } }],
      },
    });
    expect(await gate('--gate', 'false')).toMatchObject({ exit: 1, line: { verdict: 'red' } });
    expect(await gate('--gate', 'npm test || true')).toMatchObject({ exit: 4, line: { verdict: 'vacuous' } });
    expect(await gate('--gate', 'no-such-program')).toMatchObject({ exit: 5, line: { verdict: 'broken' } });
    expect(await gate('--ref', 'nowhere')).toMatchObject({ exit: 2, error: { code: 'bad-input' } });

    place.git(repo, 'checkout', '-q', '-b', 'weaker');
    place.write('repo/headway.yaml', 'gate: ["true"]\n');
    place.git(repo, 'add', '-A');
    place.git(repo, 'commit', '-q', '-m', 'weaken');
    expect(await gate('--ref', 'weaker')).toMatchObject({
      exit: 6,
      line: { verdict: 'tampered', reason: expect.stringContaining('headway.yaml') },
    });
  });

  it('is ungated where nothing checks the repository, and says so with code 3', async () => {
    const repo = place.repository('plain', { 'notes.txt': 'a\n' });
    const { exit, lines } = await place.run('gate', 'run', '--repo', repo);
    expect(exit).toBe(3);
    expect(lines.at(-1)).toMatchObject({ verdict: 'ungated', steps: [] });
  });
});
