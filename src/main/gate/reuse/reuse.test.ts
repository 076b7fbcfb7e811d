import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateResult, GateStep, StepResult } from '../../../shared/domain.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import { reusableResults } from './reuse.ts';
import { type KeyInput, stepKeys } from './step-keys.ts';

const step = (name: string, more: Partial<GateStep> = {}): GateStep => ({
  name,
  command: `run ${name}`,
  timeoutMs: 1000,
  ...more,
});
const input = (files: Record<string, string>, more: Partial<KeyInput> = {}): KeyInput => ({
  files: new Map(Object.entries(files)),
  countsForAll: (path) => path === 'tsconfig.json',
  setting: 'same',
  historyOf: () => undefined,
  ...more,
});
const named = (steps: readonly GateStep[], keys: readonly string[]): Map<string, string> =>
  new Map(steps.map(({ name }, index) => [name, keys[index] ?? '']));
const result = (name: string, key: string, more: Partial<StepResult> = {}): StepResult => ({
  name,
  command: `run ${name}`,
  exit: 0,
  ms: 5000,
  verdict: 'green',
  reason: '3 passed',
  evidence: { testsPassed: 3, outputBytes: 10 },
  tail: '',
  key,
  ...more,
});
const gate = (steps: StepResult[], more: Partial<GateResult> = {}): GateResult => ({
  verdict: 'green',
  reason: '',
  commit: 'c0ffee00112233',
  at: 1000,
  steps,
  ...more,
});

describe('stepKeys', () => {
  const FILES = { 'src/a.ts': '1', 'docs/a.md': '1', 'tsconfig.json': '1' };
  const changed = (
    steps: GateStep[],
    change: Record<string, string>,
    more: Partial<KeyInput> = {},
  ): boolean[] => {
    const [before, after] = [
      stepKeys(steps, input(FILES)),
      stepKeys(steps, input({ ...FILES, ...change }, more)),
    ];
    return before.map((key, index) => key !== after[index]);
  };

  it('follow what a step reads, all of it where it does not say, and files that count for all', () => {
    const steps = [step('a', { reads: ['src'], writes: [] }), step('b', { writes: [] })];
    expect(changed(steps, { 'docs/a.md': '2' })).toEqual([false, true]);
    expect(changed(steps, { 'src/new.ts': '1' })).toEqual([true, true]);
    expect(changed(steps, { 'tsconfig.json': '2' })).toEqual([true, true]);
    expect(changed(steps, {})).toEqual([false, false]);
  });

  it('follow commands, environment, and the history where a step looks at it', () => {
    const steps = [step('a'), step('b')];
    expect(changed(steps, {}, { setting: 'other' })).toEqual([true, true]);
    const own = { writes: [] };
    expect(
      changed(
        [step('a', own), step('b', own)],
        {},
        { historyOf: ({ name }) => (name === 'b' ? 'c1' : undefined) },
      ),
    ).toEqual([false, true]);
    const [one, other] = [{ env: { A: '1' } }, { env: { A: '2' } }].map(
      (more) => stepKeys([step('a', more)], input({}))[0],
    );
    expect(one).not.toBe(other);
  });

  it('follow the steps before, as far as these may make what a step reads', () => {
    const build = step('build', { reads: ['src'], writes: ['dist'] });
    const check = step('check', { reads: ['dist'], writes: [] });
    const prose = step('prose', { reads: ['docs'], writes: [] });
    expect(changed([build, check, prose], { 'src/a.ts': '2' })).toEqual([true, true, false]);
  });
});

describe('reusableResults', () => {
  const steps = [step('lint', { writes: [] }), step('test', { writes: [] })];
  const keys = named(steps, ['k1', 'k2']);

  it('stand for the run with the same key, in words that say from where', () => {
    const found = reusableResults(steps, keys, [gate([result('lint', 'k1'), result('test', 'other')])], 2000);
    expect([...found.keys()]).toEqual(['lint']);
    expect(found.get('lint')).toMatchObject({
      verdict: 'green',
      ms: 0,
      reason: 'reused from c0ffee0011: 3 passed',
      evidence: { testsPassed: 3 },
      reused: { commit: 'c0ffee00112233', at: 1000 },
    });
    const again = reusableResults(
      steps,
      keys,
      [gate([...found.values()], { commit: 'another', at: 1500 })],
      2000,
    );
    expect(again.get('lint')).toEqual(found.get('lint'));
  });

  it.each<[string, GateResult]>([
    ['a gate that was not green as a whole', gate([result('lint', 'k1')], { verdict: 'vacuous' })],
    ['a step that was not green', gate([result('lint', 'k1', { verdict: 'vacuous' })])],
    ['what is older than a day', gate([result('lint', 'k1')], { at: 1000 - 24 * HOUR_MS })],
    ['a clock that went back', gate([result('lint', 'k1')], { at: 9000 })],
    ['results without a key', gate([{ ...result('lint', 'k1'), key: undefined }])],
  ])('are none of %s', (_what, earlier) => {
    expect(reusableResults(steps, keys, [earlier], 2000).size).toBe(0);
  });

  it('are none of built-in steps and of those that prove nothing by themselves', () => {
    const others = [step('secrets', { command: 'builtin:secrets' }), step('format', { evidence: 'none' })];
    const known = [gate([result('secrets', 'k1'), result('format', 'k2')])];
    expect(reusableResults(others, named(others, ['k1', 'k2']), known, 2000).size).toBe(0);
  });
});

const DIRECTORIES = ['a', 'b', 'out', 'gen'];
const some = fc.option(fc.subarray(DIRECTORIES), { nil: undefined });
const gateSteps = fc
  .array(fc.record({ reads: some, writes: some }), { minLength: 1, maxLength: 5 })
  .map((all) =>
    all.map(({ reads, writes }, index) =>
      step(`s${index}`, { ...(reads ? { reads } : {}), ...(writes ? { writes } : {}) }),
    ),
  );
const tree = fc.record({ a: fc.constantFrom('1', '2'), b: fc.constantFrom('1', '2') });

/** Runs steps that judge exactly what they may read, and write exactly what they may write. */
function execute(
  steps: readonly GateStep[],
  files: Record<string, string>,
  stands: ReadonlyMap<string, StepResult> = new Map(),
): StepResult[] {
  const world = new Map(Object.entries(files));
  return steps.map((each) => {
    const before = stands.get(each.name);
    if (before) return before;
    const saw = (each.reads ?? DIRECTORIES).map((name) => `${name}=${world.get(name) ?? ''}`);
    const value = `${each.name}(${saw.join(' ')})`;
    for (const name of each.writes ?? DIRECTORIES) world.set(name, `${world.get(name) ?? ''}+${value}`);
    return result(each.name, '', { tail: value });
  });
}

it('leaves every step with what it would have found by running, whatever changed', () => {
  fc.assert(
    fc.property(gateSteps, tree, tree, (steps, before, after) => {
      const keysOf = (files: Record<string, string>): Map<string, string> =>
        named(
          steps,
          stepKeys(
            steps,
            input(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name}/f`, text]))),
          ),
        );
      const first = keysOf(before);
      const ran = execute(steps, before).map((each) => ({ ...each, key: first.get(each.name) ?? '' }));
      const stands = reusableResults(steps, keysOf(after), [gate(ran)], 2000);
      const found = execute(steps, after, stands);
      expect(found.map(({ tail }) => tail)).toEqual(execute(steps, after).map(({ tail }) => tail));
    }),
    { numRuns: 500 },
  );
});
