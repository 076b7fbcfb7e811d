import { existsSync, readFileSync } from 'node:fs';
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

/** A gate of three steps that write down that they ran; the last one lets a person commit the first time. */
function repository(change: string): string {
  const moved = join(place.root, 'moved');
  const repo = join(place.root, 'repo');
  const log = (name: string): string => `echo ${name} >> ${join(place.root, 'log')}`;
  const commit = `touch ${moved}; cd ${repo}; echo more >> ${change}; git commit -qam person`;
  return place.repository('repo', {
    'src/a.ts': 'a\n',
    'docs/a.md': 'a\n',
    'tsconfig.json': '{}\n',
    'headway.yaml': [
      'gate:',
      `  - { name: src, run: "${log('src')}; test -f src/a.ts", reads: [src], writes: [] }`,
      `  - { name: docs, run: "${log('docs')}; test -f docs/a.md", reads: [docs], writes: [] }`,
      `  - { name: rest, run: "${log('rest')}; test -e ${moved} || { ${commit}; }" }`,
      'accept:',
      '  - { finding: typecheck-leaves-out, reason: the steps stand for others }',
      '',
    ].join('\n'),
  });
}
const ran = (): string[] => {
  const log = join(place.root, 'log');
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
};
const run = (repo: string) =>
  place.run(
    ...['run', '--repo', repo, '--tickets'],
    place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['src/a.ts'] }, [{ append: { path: 'src/a.ts', content: 'A\n' } }]),
    }),
  );
type Gate = { reason: string; steps: { name: string; reason: string; reused?: unknown }[] };
const lastGate = async (): Promise<Gate> => {
  const { lines } = await place.run('why', 'A');
  return (lines.find(({ type }) => type === 'why') as unknown as { gate: Gate }).gate;
};

describe.runIf(process.platform !== 'win32')('a gate that runs again because the base has moved', () => {
  it('runs only what may have changed, and says from where the rest is', async () => {
    const { summary, stderr } = await run(repository('docs/a.md'));
    expect(stderr).toBe('');
    expect(summary.A?.state).toBe('merged');
    expect(ran().toSorted()).toEqual(['docs', 'docs', 'rest', 'rest', 'src']);
    const gate = await lastGate();
    expect(gate.steps.map(({ name, reused }) => [name, reused !== undefined])).toEqual([
      ['src', true],
      ['docs', false],
      ['rest', false],
    ]);
    expect(gate.steps[0]?.reason).toMatch(/^reused from [0-9a-f]{10}: exit 0$/);
    expect(gate.reason).toMatch(/^3 steps green, 1 reused from [0-9a-f]{10}$/);
  });

  it('runs everything where what defines the gate has changed', async () => {
    const { summary } = await run(repository('tsconfig.json'));
    expect(summary.A?.state).toBe('merged');
    expect(ran().toSorted()).toEqual(['docs', 'docs', 'rest', 'rest', 'src', 'src']);
    expect((await lastGate()).steps.filter(({ reused }) => reused)).toEqual([]);
  });
});
