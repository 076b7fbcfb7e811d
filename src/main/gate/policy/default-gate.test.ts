import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sureRuns } from '../commands/sure-runs.ts';
import { judgeStep } from '../run/judge-step.ts';
import { defaultGate } from './default-gate.ts';

const gateOf = (scripts: Record<string, string>, manager: 'npm' | 'pnpm' | 'yarn' | 'bun' = 'npm') => {
  const { steps, notes } = defaultGate(scripts, manager);
  return { steps: steps.map(({ name }) => name), notes: notes.join('; '), whole: steps };
};

describe('the order of the default gate', () => {
  it('builds before what may read the result', () => {
    const { steps } = gateOf({ lint: 'eslint .', typecheck: 'tsc', test: 'vitest run', build: 'tsup' });
    expect(steps).toEqual(['build', 'lint', 'typecheck', 'test']);
  });

  it('puts a script that builds by itself in the place of the build', () => {
    const { steps, notes } = gateOf({
      lint: 'node lint.mjs',
      typecheck: 'tsc --noEmit',
      build: 'node clean.mjs && tsc',
      test: 'npm run build && cd dist && node --test',
    });
    expect(steps).toEqual(['test', 'lint', 'typecheck']);
    expect(notes).toBe('build is run by test, so not once more');
  });

  it.each([
    ['biome check .', ['lint', 'build', 'test']],
    ['prettier --check . && biome ci', ['lint', 'build', 'test']],
    ['eslint .', ['build', 'lint', 'test']],
    ['oxlint --type-aware', ['build', 'lint', 'test']],
    ['biome check . && eslint .', ['build', 'lint', 'test']],
    ['biome check . ; true', ['build', 'lint', 'test']],
  ])('has a linter first that reads sources alone: %s', (lint, expected) => {
    expect(gateOf({ lint, build: 'b', test: 't' }).steps).toEqual(expected);
  });

  it('generates first what no other script generates, and says so', () => {
    const scripts = { 'db:generate': 'prisma generate', typecheck: 'tsc', test: 'vitest run' };
    const { steps, notes, whole } = gateOf(scripts);
    expect(steps).toEqual(['db:generate', 'typecheck', 'test']);
    expect(whole[0]).toEqual({ name: 'db:generate', command: 'npm run db:generate', evidence: 'none' });
    expect(notes).toContain('db:generate runs first');
  });

  it.each<[string, Record<string, string>]>([
    ['the build does', { gen: 'svelte-kit sync', build: 'svelte-kit sync && vite build', typecheck: 'c' }],
    ['a script before a check does', { gen: 'prisma generate', pretypecheck: 'npm run gen', typecheck: 'c' }],
    ['the install does', { gen: 'prisma generate', postinstall: 'prisma generate', typecheck: 'c' }],
    ['there is no check', { gen: 'prisma generate' }],
    ['it does more than that', { gen: 'prisma generate && prisma db push', typecheck: 'c' }],
    ['it may ask or need a network', { gen: 'plop', codegen: 'graphql-codegen', typecheck: 'c' }],
  ])('generates nothing where %s', (_, scripts) => {
    expect(gateOf(scripts).steps).not.toContain('gen');
  });

  it('names a generator that it does not run', () => {
    const { notes } = gateOf({ codegen: 'graphql-codegen', typecheck: 'tsc' });
    expect(notes).toContain('no step runs the script codegen');
  });
});

describe('a check that another one surely runs', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['by name', { lint: 'l', typecheck: 'c', test: 'npm run lint && npm run typecheck && vitest' }, ['test']],
    [
      'through others',
      { lint: 'l', typecheck: 'c', all: 'pnpm lint && pnpm run typecheck', test: 'npm run all && v' },
      ['test'],
    ],
    ['one after the other', { lint: 'l', build: 'b', test: 'run-s lint build' }, ['test']],
    ['silently', { lint: 'l', test: 'npm run lint --silent && v' }, ['test']],
    [
      'word for word',
      { typecheck: 'tsc -p "a b"', build: 'tsc -p "a b" && vite build', test: 't' },
      ['build', 'test'],
    ],
    ['as the same text', { typecheck: 'tsc', build: 'tsc' }, ['build']],
    ['in a ring', { build: 'npm test && b', test: 'npm run build && t' }, ['test']],
  ])('is no step of its own: %s', (_, scripts, expected) => {
    expect(gateOf(scripts).steps).toEqual(expected);
  });

  it.each<[string, Record<string, string>]>([
    ['its failure is forgiven', { lint: 'l', test: 'npm run lint || true && v' }],
    ['it runs in the background', { lint: 'l', test: 'npm run lint & v' }],
    ['another command follows anyway', { lint: 'l', test: 'npm run lint; v' }],
    ['its end is lost in a pipe', { lint: 'l', test: 'npm run lint | tee log && v' }],
    ['a condition may leave it out', { lint: 'l', test: 'if x; then npm run lint; fi && v' }],
    ['it is turned round', { lint: 'l', test: '! npm run lint && v' }],
    ['it has other arguments', { lint: 'l', test: 'npm run lint -- --fix && v' }],
    ['it is that of another package', { lint: 'l', test: 'npm run lint -w a && cd b && npm run lint' }],
    ['it runs elsewhere', { lint: 'l', test: 'cd packages/a && npm run lint' }],
    ['it may have ended before', { lint: 'l', test: 'exit 0 && npm run lint' }],
    ['the shell is another one by then', { lint: 'l', test: 'export PATH=x && npm run lint' }],
    ['its environment differs', { lint: 'l', test: 'ESLINT=off npm run lint && v' }],
    ['it is only printed', { lint: 'l', test: 'echo npm run lint && v' }],
    ['it is text in quotes', { lint: 'l', test: 'v "&& npm run lint"' }],
    ['which one is known to the shell alone', { lint: 'l', test: 'npm run $X && npm run lint' }],
    ['it is a function of the same name', { lint: 'l', test: 'npm() { true; } && npm run lint' }],
    ['only the hooks before it do', { lint: 'l', pretest: 'npm run lint', test: 'v' }],
    ['another manager leaves out its hooks', { lint: 'l', prelint: 'p', test: 'yarn lint && v' }],
    ['it has hooks and the text has not', { lint: 'l', prelint: 'p', test: 'l && v' }],
    ['only its beginning is the same', { lint: 'l && cd x && m', test: 'l && v' }],
    ['its globs are those of the shell', { lint: 'eslint a/**', test: 'eslint "a/**" && v' }],
    ['only some are run', { lint: 'l', test: 'run-s -c lint && v' }],
    ['bun has a command of that name', { build: 'b', test: 'bun build && v' }],
    ['it is a heredoc', { lint: 'l', test: 'cat <<E && npm run lint\nE' }],
  ])('stays a step where %s', (_, scripts) => {
    const own = 'build' in scripts ? 'build' : 'lint';
    expect(gateOf(scripts).steps).toContain(own);
  });

  it('must still be able to fail by itself', () => {
    const green = {
      status: 'exited',
      exit: 0,
      durationMs: 1,
      output: '\n  1 passing (3ms)\n\n',
      outputBytes: 9,
    } as const;
    const judged = (scripts: Record<string, string>) =>
      defaultGate(scripts, 'npm').steps.map(
        (step) => judgeStep({ ...step, timeoutMs: 1 }, green, scripts).verdict,
      );
    expect(judged({ lint: 'eslint .', test: 'npm run lint && mocha' })).toEqual(['green']);
    expect(judged({ lint: 'eslint . || true', test: 'npm run lint && mocha' })).toEqual(['vacuous']);
  });

  it('is never lost: each is a step, or run by one', () => {
    const name = fc.constantFrom('lint', 'typecheck', 'test', 'build', 'all');
    const command = fc.oneof(
      name.map((each) => `npm run ${each}`),
      fc.constantFrom('tsc', 'eslint .', 'cd x', 'vite build', 'false || true', 'yarn test', '!', 'exit'),
    );
    const line = fc
      .array(fc.tuple(command, fc.constantFrom('&&', '&&', '&&', ';', '||', '|')), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.flat().slice(0, -1).join(' '));
    fc.assert(
      fc.property(fc.dictionary(name, line), (scripts) => {
        const { steps } = gateOf(scripts);
        const reached = new Set(steps.flatMap((step) => [step, ...sureRuns(step, scripts, 'npm')]));
        for (const check of ['lint', 'typecheck', 'test', 'build']) {
          if (Object.hasOwn(scripts, check)) expect(reached).toContain(check);
        }
      }),
    );
  });
});
