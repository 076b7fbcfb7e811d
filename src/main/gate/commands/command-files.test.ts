import { describe, expect, it } from 'vitest';
import { invocationsOf, packagesOf } from '../audit/invocations.ts';
import { commandFiles } from './command-files.ts';

const FILES = new Map([
  ['package.json', JSON.stringify({ scripts: { unit: 'mocha --config conf/m.json --file=test/hook.js' } })],
  ['b/package.json', JSON.stringify({ scripts: { test: 'node check.mjs' } })],
  ['b/check.mjs', ''],
  ['conf/m.json', ''],
  ['conf/types.json', ''],
  ['conf/v.js', ''],
  ['test/hook.js', ''],
  ['src/index.ts', ''],
  ['spec/index.js', ''],
  ['unit.js', ''],
  ['tools/run.tsx', ''],
  ['tools/all/index.cjs', ''],
  ['tools/check.sh', ''],
  ['tools/check/index.js', ''],
  ['a.test.js', ''],
]);
const tree = {
  files: [...FILES.keys()],
  has: (path: string) => FILES.has(path),
  read: (path: string) => FILES.get(path),
  readInstalled: () => undefined,
};
const of = (command: string) => {
  const found = commandFiles(invocationsOf([{ name: 'x', command }], tree, packagesOf(tree)), tree.has);
  return [...found.programs, ...found.options].sort();
};

describe('the files that a command line loads', () => {
  it.each([
    ['vitest run -c conf/v.js', ['conf/v.js']],
    ['tsc --noEmit -p conf/types.json', ['conf/types.json']],
    ['eslint --config=./conf/v .', ['conf/v.js']],
    ['npm run unit', ['conf/m.json', 'test/hook.js']],
    ['npm test --workspace b', ['b/check.mjs']],
    ['cd tools && sh check.sh', ['tools/check.sh']],
    ["bash -c './tools/check.sh'", ['tools/check.sh']],
    ['if [ -f x ]; then sh tools/check.sh; fi', ['tools/check.sh']],
    ['git ls-files | xargs sh tools/check.sh', ['tools/check.sh']],
    ['node tools/check', ['tools/check/index.js']],
    ['mocha --reporter spec', []],
    ['vitest run --project unit', []],
    ['node unit', ['unit.js']],
    ['tsx tools/run', ['tools/run.tsx']],
    ['node tools/all', ['tools/all/index.cjs']],
    ['node --test a.test.js', []],
    ['esbuild --bundle src/index.ts', []],
    ['node -e "1" src/index.ts', []],
    ['tsc --noEmit src/index.ts', []],
  ])('%s', (command, files) => {
    expect(of(command)).toEqual(files);
  });
});
