import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

it.runIf(process.platform !== 'win32')(
  'lets a step find what the gate of landed work left for it, and nothing of agents or of work that was refused',
  async () => {
    const log = join(place.root, 'log');
    const repo = place.repository('repo', {
      '.gitignore': '.cache/\n',
      'src/a.txt': 'a\n',
      'headway.yaml': [
        'gate:',
        '  - name: cached',
        `    run: 'cat .cache/n >> ${log} 2>/dev/null; mkdir -p .cache; echo $HEADWAY_TICKET > .cache/n; test -f src/a.txt'`,
        '    caches: [.cache]',
        '  - "! grep -q bad src/a.txt && test ! -e .cache"',
        '',
      ].join('\n'),
    });
    const run = async (id: string, content: string): Promise<unknown> => {
      const ticket = scripted({ id, paths: ['src/a.txt'] }, [
        { run: `mkdir -p .cache; echo poison of ${id} > .cache/n` },
        { append: { path: 'src/a.txt', content } },
      ]);
      const { summary } = await place.run(
        ...['run', '--repo', repo, '--tickets'],
        place.tickets(`tickets-${id}`, { [id]: ticket }),
      );
      return summary[id]?.state;
    };
    const found = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');

    expect(await run('A', 'good\n')).toBe('merged');
    expect(found()).toBe('');
    expect(await run('B', 'bad\n')).toBe('failed');
    expect(found()).toBe('A\n');
    expect(await run('C', 'good\n')).toBe('merged');
    expect(found()).toBe('A\nA\n');
  },
);
