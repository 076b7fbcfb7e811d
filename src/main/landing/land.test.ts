import { describe, expect, it } from 'vitest';
import { parseRawDiff } from '../git/changed-files.ts';
import { inTurn } from './in-turn.ts';
import { refusalWords } from './land.ts';

describe('refusalWords', () => {
  it("quotes the hook, then git's reason", () => {
    const stdout = 'To /r\n!\tabc:refs/heads/main\t[remote rejected] (pre-receive hook declined)\nDone\n';
    expect(
      refusalWords(stdout, 'remote: frozen until Monday        \nerror: failed to push some refs\n'),
    ).toBe('frozen until Monday (pre-receive hook declined)');
  });

  it('falls back on what git said, and never on nothing', () => {
    expect(refusalWords('', 'fatal: the disk is full\n')).toBe('fatal: the disk is full');
    expect(refusalWords('', '')).toBe('git gave no reason');
  });
});

describe('inTurn', () => {
  it('runs one at a time per key, in order, also after a failure', async () => {
    const order: string[] = [];
    const task =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        order.push(`${name} starts`);
        await Promise.resolve();
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const results = await Promise.allSettled([
      inTurn('k', task('a', true)),
      inTurn('k', task('b')),
      inTurn('k', task('c')),
    ]);
    expect(order).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('does not make another key wait', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = inTurn('a', () => promise);
    expect(await inTurn('b', async () => 'through')).toBe('through');
    resolve();
    await first;
  });
});

describe('parseRawDiff', () => {
  it('reads every status, and refuses what it does not know', () => {
    const fields = [
      ':100644 100755 a b M',
      'run.sh',
      ':100644 000000 a 0 D',
      'line\nbreak',
      ':000000 120000 0 b A',
      'link',
      ':100644 120000 a b T',
      'type',
      ':160000 160000 a b M',
      'sub',
      ':100644 100644 a b R090',
      'from',
      'to',
    ];
    expect(parseRawDiff(fields)).toEqual([
      { path: 'run.sh', change: 'modified', kind: 'file', modeChanged: true },
      { path: 'line\nbreak', change: 'deleted', kind: 'file', modeChanged: false },
      { path: 'link', change: 'added', kind: 'link', modeChanged: false },
      { path: 'type', change: 'modified', kind: 'link', modeChanged: true },
      { path: 'sub', change: 'modified', kind: 'submodule', modeChanged: false },
      { path: 'from', change: 'deleted', kind: 'file', modeChanged: false, movedTo: 'to' },
      { path: 'to', change: 'added', kind: 'file', modeChanged: false, movedFrom: 'from' },
    ]);
    expect(() => parseRawDiff(['nonsense', 'x'])).toThrow('unknown line');
    expect(parseRawDiff([])).toEqual([]);
  });
});
