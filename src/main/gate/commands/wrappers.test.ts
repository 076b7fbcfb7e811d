import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hollowReason } from './hollow.ts';
import { installedAt, programName, unwrapped, wrappedAt } from './wrappers.ts';

const inside = (line: string): string => unwrapped(line.split(' ')).join(' ');

describe('a command behind others', () => {
  it.each([
    ['vitest run', 'vitest run'],
    ['CI=1 A=b vitest run', 'vitest run'],
    ['cross-env CI=true vitest run', 'vitest run'],
    ['env -u HOME -i A=1 npx -y vitest run', 'vitest run'],
    ['timeout -k 5 600 npx vitest run', 'vitest run'],
    ['nice -n 10 timeout 600 xvfb-run -a jest --ci', 'jest --ci'],
    ['c8 --reporter lcov --check-coverage mocha test', 'mocha test'],
    ['nyc --reporter=text -x dist mocha', 'mocha'],
    ['stdbuf -oL node check.mjs', 'node check.mjs'],
    ['dotenvx run -f .env.test -- vitest run', 'vitest run'],
    ['uv run --with pytest-cov pytest -q', 'pytest -q'],
    ['poetry run pytest', 'pytest'],
    ['bundle exec rspec', 'rspec'],
    ['corepack pnpm test', 'pnpm test'],
    ['uv sync', 'uv sync'],
    ['/usr/bin/env node check.mjs', 'node check.mjs'],
    ['nohup', 'nohup'],
  ])('of %j is %j', (line, command) => {
    expect(inside(line)).toBe(command);
  });

  it.each([
    ['node node_modules/.bin/jest --ci', 'jest --ci'],
    ['node --no-warnings --import ./hook.mjs node_modules/jest/bin/jest.js', 'jest'],
    ['node ../../node_modules/typescript/lib/tsc.js -p .', 'tsc -p .'],
    ['node ./node_modules/vitest/vitest.mjs run', 'vitest run'],
    ['node node_modules/@playwright/test/cli.js test', 'playwright test'],
    ['node node_modules/@biomejs/biome/bin/biome lint', 'biome lint'],
    ['node check.mjs node_modules/.bin/jest', undefined],
    ['node --test node_modules/a/b.js', undefined],
    ['node -e 0 node_modules/.bin/jest', undefined],
    ['jest node_modules/.bin/jest', undefined],
  ])('of an installed package is found in %j: %j', (line, command) => {
    const words = line.split(' ');
    const at = installedAt(words);
    const found = at === undefined ? undefined : [programName(words[at] ?? ''), ...words.slice(at + 1)];
    expect(found?.join(' ')).toBe(command);
  });

  it('of an installed package can be hidden like any other', () => {
    expect(hollowReason('node node_modules/jest/bin/jest.js || true', {})).toBeDefined();
    expect(hollowReason('node node_modules/.bin/tsc; test -d src', {})).toMatch(/although tsc failed/);
    expect(hollowReason('node node_modules/.bin/jest', {})).toBeUndefined();
  });

  it.each([
    'timeout 60 true',
    'nice -n 5 true',
    'c8 echo done',
    'pnpx lint-staged',
    'uv run true',
    'env -i true',
  ])('that can not fail makes %j one that can not', (line) => {
    expect(hollowReason(line, {})).toBeDefined();
  });

  it.each([
    'timeout 60 vitest run',
    'env -S true',
    'xvfb-run -z true',
    'poetry install',
    'c8 --lines 90 mocha',
  ])('is not suspected where it may fail or is not known: %j', (line) => {
    expect(hollowReason(line, {})).toBeUndefined();
  });

  it('begins behind its wrapper, if anywhere', () => {
    const words = fc.array(
      fc.constantFrom('env', 'timeout', 'uv', 'run', '-n', '--', '--x=1', 'A=1', '9', 'jest'),
    );
    fc.assert(
      fc.property(words, (list) => {
        const found = wrappedAt(list);
        if (found) expect(found.at).toBeGreaterThan(0);
        if (found) expect(found.at).toBeLessThan(list.length);
        const inner = unwrapped(list);
        expect(list.slice(list.length - inner.length)).toEqual(inner);
        expect(unwrapped(inner)).toEqual(inner);
      }),
    );
  });
});
