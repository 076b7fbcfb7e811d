import {
  attacked,
  FAILING_TEST,
  type FakeGreen,
  type Files,
  manifest,
  named,
  PASSING_TEST,
  script,
  TSCONFIG,
  TYPE_ERROR,
  typed,
} from './green-case.ts';
import { GLOB_GREENS, SHELL_GREENS } from './shell-greens.ts';

/** Ways to look green without checking anything. Every one of them sits on code that is wrong, or on a check that never runs. */

const COMMANDS = named({
  'exit 0': script('exit 0'),
  true: script('true'),
  'a colon': script(':'),
  'an empty script': script(' '),
  echo: script('echo all good'),
  '|| true': script('node --test || true'),
  '; exit 0': script('node --test; exit 0'),
  '|| echo': script("node --test || echo 'tests failed'"),
  '|| in a group': script('(node --test) || { :; }'),
  'a pipe into tee': script('node --test | tee out.log'),
  'a pipe into cat': script('node --test | cat'),
  'a pipe into sort': script('node --test 2>&1 | sort'),
  'in the background': script('node --test &'),
  'in the background, then wait': script('node --test >/dev/null 2>&1 & wait'),
  'a negation': script('! node --test'),
  'an if that swallows': script('if node --test; then echo fine; fi'),
  'a trap': script("trap 'exit 0' EXIT; node --test >/dev/null 2>&1; false"),
  'a shell inside': script("bash -c 'node --test || true'"),
  'a substitution': script('echo "$(node --test 2>&1)"'),
  'set +e and a last word': script('set +e; node --test; echo done'),
  'exit code 0 by JavaScript': script('node -e "process.exitCode=0"'),
  'a script of a script': script('npm run unit', {}, { unit: 'true' }),
  'a script that is not there, if present': script('npm run unit --if-present'),
  'npm run without a name': script('npm run'),
  'another shell for scripts': {
    files: script('node --test').files,
    gate: ['npm test --script-shell=/bin/true'],
  },
  'no workspace has the script': {
    files: script('node --test').files,
    gate: ['npm run nothing --workspaces --if-present'],
  },
  'a shell script that ends early': script('sh check.sh', { 'check.sh': '#!/bin/sh\nexit 0\nnode --test\n' }),
  'a shell script that forgives': script('./check.sh', { 'check.sh': '#!/bin/sh\nnode --test || true\n' }),
  'make that forgives': {
    files: { ...script('x').files, Makefile: 'check:\n\t-node --test >/dev/null 2>&1\n' },
    gate: ['make check'],
  },
  'make that only prints': {
    files: { ...script('x').files, Makefile: 'check:\n\tnode --test\n' },
    gate: ['make -n check'],
  },
  'make that forgives in what it needs': {
    files: { ...script('x').files, Makefile: 'all: check\ncheck:\n\t-node --test >/dev/null 2>&1\n' },
    gate: ['make all'],
  },
  'make that forgives in one line': {
    files: { ...script('x').files, Makefile: 'check:\n\tnode --test >/dev/null 2>&1; true\n' },
    gate: ['make check'],
  },
  'make that ignores all errors': {
    files: { ...script('x').files, Makefile: '.IGNORE:\ncheck:\n\tnode --test >/dev/null 2>&1\n' },
    gate: ['make check'],
  },
  'make with flags of its own': {
    files: { ...script('x').files, Makefile: 'MAKEFLAGS += -i\ncheck:\n\tnode --test >/dev/null 2>&1\n' },
    gate: ['make check'],
  },
  'make with flags from outside': {
    files: { ...script('x').files, Makefile: 'check:\n\tnode --test >/dev/null 2>&1\n' },
    gate: ['MAKEFLAGS=-i make check'],
  },
  'make with two flags in one': {
    files: { ...script('x').files, Makefile: 'check:\n\tnode --test >/dev/null 2>&1\n' },
    gate: ['make -ik check'],
  },
  'make with a shell that is none': {
    files: { ...script('x').files, Makefile: 'SHELL=/bin/true\ncheck:\n\tnode --test\n' },
    gate: ['make check'],
  },
  'make that finds it done': {
    files: { ...script('x').files, Makefile: 'check:\n\tnode --test\n', check: '' },
    gate: ['make check'],
  },
  'make that hides what its runner says': {
    files: { ...script('x').files, Makefile: 'check:\n\tnode --test >/dev/null 2>&1 || test -d .\n' },
    gate: ['make check'],
  },
  'find that starts the tests': script('find . -name "a.test.js" -exec node {} \\; >/dev/null 2>&1'),
  'a pipe into sed': script('node --test 2>&1 | sed s/fail/pass/'),
  'a pipe into awk': script("node --test 2>&1 | awk '{ sub(/fail/, 0) } 1'"),
  'only the house is in order': { files: script('x').files, gate: ['mkdir -p dist'] },
  'nothing is staged': script('lint-staged'),
  'python: no test for unittest': {
    files: { 'none/a.txt': '', 'test_a.py': 'assert 0\n' },
    gate: ['python3 -m unittest discover -s none || [ $? -eq 5 ]'],
  },
  'no gate at all': { files: { 'a.js': 'x' } },
  'an empty gate': {
    files: { 'headway.yaml': 'gate: []\n', 'package.json': manifest({ test: 'node --test' }) },
  },
  "npm's placeholder": script('echo "Error: no test specified" && exit 1'),
  'only steps that are declared silent': {
    files: { 'headway.yaml': 'gate:\n  - { run: "echo formatted", evidence: none }\n', 'a.js': 'x' },
  },
});

const VITEST_FAILS = "import { test } from 'vitest';\ntest('fails', () => { throw new Error('wrong'); });\n";
const vitest = (command: string, more: Files = {}): Omit<FakeGreen, 'name'> => ({
  files: { 'package.json': manifest({ test: command }), ...more },
});

const TESTS = named({
  'no test file': {
    files: { 'package.json': manifest({ test: 'node --test "none/**/*.test.js"' }), 'a.js': '' },
  },
  'a pattern for names that fits none': script('node --test --test-name-pattern=nothing'),
  'a pattern that skips all': script('node --test --test-skip-pattern=/./'),
  'a test file without tests': {
    files: { 'package.json': manifest({ test: 'node --test' }), 'a.test.js': '// later\n' },
  },
  'a test file without tests, with a space in its name': {
    files: { 'package.json': manifest({ test: 'node --test' }), 'a b.test.js': '// later\n' },
  },
  'a test file without tests in another directory': {
    files: { 'package.json': manifest({ test: 'cd sub && node --test' }), 'sub/a.test.js': '// later\n' },
  },
  'a report without tests': {
    files: {
      'package.json': manifest({ test: 'node --test --test-reporter=junit' }),
      'a.test.js': '// later\n',
    },
  },
  'dots for skipped tests': {
    files: {
      'package.json': manifest({ test: 'node --test --test-reporter=dot' }),
      'a.test.js': "import { test } from 'node:test';\ntest.skip('a', () => {});\n",
    },
  },
  'all tests skipped': {
    files: {
      'package.json': manifest({ test: 'node --test' }),
      'a.test.js': "import { test } from 'node:test';\ntest.skip('a', () => {});\n",
    },
  },
  'all tests to do': {
    files: {
      'package.json': manifest({ test: 'node --test' }),
      'a.test.js': "import { test } from 'node:test';\ntest.todo('a');\n",
    },
  },
  'a directory without tests': script('cd empty && node --test', { 'empty/keep.txt': '' }),
  'a silent run without tests': script('cd empty && node --test > /dev/null', { 'empty/keep.txt': '' }),
  'help instead of tests': vitest('vitest --help', { 'a.test.ts': VITEST_FAILS }),
  'the version instead of tests': vitest('vitest --version', { 'a.test.ts': VITEST_FAILS }),
  'a list instead of tests': vitest('vitest list', { 'a.test.ts': VITEST_FAILS }),
  'passes without tests': vitest('vitest run --passWithNoTests', { 'a.js': '' }),
  'a name that fits none': vitest('vitest run -t nothing', { 'a.test.ts': VITEST_FAILS }),
  'only what is changed': vitest('vitest run --changed', { 'a.test.ts': VITEST_FAILS }),
  'every test excluded': vitest('vitest run --passWithNoTests --exclude "**/*.test.ts"', {
    'a.test.ts': VITEST_FAILS,
  }),
  'the include misses components': vitest('vitest run', {
    'vitest.config.js': "export default { test: { include: ['src/**/*.test.ts'] } };\n",
    'src/a.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
    'src/b.test.tsx': VITEST_FAILS,
  }),
  'the include is computed and misses one': vitest('vitest run', {
    'vitest.config.js':
      "const found = ['a'];\nexport default { test: { include: found.map((name) => name + '.test.ts') } };\n",
    'a.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
    'b.test.ts': VITEST_FAILS,
  }),
  'tests of one name': vitest('vitest run -t passes', {
    'a.test.ts': `import { test } from 'vitest';\ntest('passes', () => {});\n${VITEST_FAILS.split('\n')[1]}\n`,
  }),
  'a share of the tests': vitest('vitest run --shard=1/2', {
    'a.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
    'b.test.ts': VITEST_FAILS,
    'c.test.ts': VITEST_FAILS,
    'd.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
  }),
  'a test excluded behind an equals sign': vitest('vitest run --exclude=b.test.ts', {
    'a.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
    'b.test.ts': VITEST_FAILS,
  }),
  'snapshots that are rewritten': vitest('vitest run --update', {
    'a.test.ts':
      "import { test, expect } from 'vitest';\ntest('snap', () => { expect(1).toMatchSnapshot(); });\n",
    '__snapshots__/a.test.ts.snap':
      '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`snap 1`] = `2`;\n',
  }),
  'one test of many': vitest('vitest run', {
    'a.test.ts':
      "import { test } from 'vitest';\ntest.only('passes', () => {});\ntest('fails', () => { throw new Error('wrong'); });\n",
  }),
  'a failure that is only printed': script('node run.mjs', {
    'run.mjs': "console.log('      Tests  3 failed | 1 passed (4)');\n",
  }),
  'a cache that replays': script('node turbo.mjs', {
    'turbo.mjs':
      "console.log(' Tasks:    2 successful, 2 total\\nCached:    2 cached, 2 total\\n  Time:    80ms >>> FULL TURBO');\n",
  }),
});

const CHECKS = named({
  'types: || true': typed('tsc --noEmit || true'),
  'types: a last command that can not fail': typed('tsc --noEmit; node -e 0'),
  'types: the version': typed('tsc --version'),
  'types: the configuration': typed('tsc --showConfig'),
  'types: a dry build': typed('tsc -b --dry'),
  'types: errors that are only printed': typed('sh -c "tsc --noEmit; [ -d src ]"'),
  'types: silent, with another last word': typed('tsc --noEmit > /dev/null; [ -d src ]'),
  'types: checked, but not asked for before the tests': {
    files: {
      'package.json': manifest({ test: 'tsc --noEmit >/dev/null; node --test' }),
      'tsconfig.json': TSCONFIG,
      'src/a.ts': TYPE_ERROR,
      'a.test.js': PASSING_TEST,
    },
  },
  'types: the failure is an alternative': typed(
    'tsc --noEmit >/dev/null || node -e "process.exit(process.argc)"',
  ),
  'types: no check': typed('tsc --noEmit --noCheck'),
  'types: a solution without -b': typed('tsc --noEmit', {
    'tsconfig.json': JSON.stringify({ files: [], references: [{ path: './tsconfig.app.json' }] }),
    'tsconfig.app.json': JSON.stringify({
      compilerOptions: { composite: true, skipLibCheck: true, types: [] },
      include: ['src'],
    }),
  }),
  'types: tests left out': typed('tsc --noEmit', {
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, types: [] },
      include: ['src'],
      exclude: ['**/*.test.ts'],
    }),
    'src/a.ts': 'export const a = 1;\n',
    'src/a.test.ts': TYPE_ERROR,
  }),
  'types: no check, in small letters': typed('tsc --noEmit --nocheck'),
  'types: no check, with one dash': typed('tsc --noEmit -noCheck'),
  'lint: what is staged': {
    files: {
      'package.json': manifest({}),
      'src/a.js': 'debugger;\n',
      'biome.json': '{"vcs":{"enabled":true,"clientKind":"git"}}',
    },
    gate: ['biome lint --staged --no-errors-on-unmatched'],
  },
  'lint: what is changed, which is nothing': {
    files: {
      'package.json': manifest({}),
      'src/a.js': 'debugger;\n',
      'biome.json': '{"vcs":{"enabled":true,"clientKind":"git","defaultBranch":"main"}}',
    },
    gate: ['biome lint --changed --no-errors-on-unmatched'],
  },
  'types: another directory': typed('tsc --noEmit -p empty', {
    'empty/tsconfig.json': JSON.stringify({ compilerOptions: { noEmit: true, types: [] }, files: ['a.ts'] }),
    'empty/a.ts': 'export {};\n',
  }),
  'lint: every file ignored': {
    files: {
      'package.json': manifest({}),
      'src/a.js': 'debugger;\n',
      'biome.json': '{"files":{"includes":["keep/**"]}}',
      'keep/a.json': '{}',
    },
    gate: ['biome lint'],
  },
  'lint: a step that names nothing': {
    files: { 'package.json': manifest({}), 'src/a.js': 'debugger;\n', 'keep/a.json': '{}' },
    gate: ['biome lint keep'],
  },
});

const AGENTS = named({
  'deletes the test': attacked({ 'a.test.js': undefined }, { 'b.test.js': PASSING_TEST }),
  'renames the test away': attacked(
    { 'a.test.js': undefined, 'a.test.js.old': PASSING_TEST },
    { 'b.test.js': PASSING_TEST },
  ),
  'skips the test': attacked(
    { 'a.test.js': "import { test } from 'node:test';\ntest.skip('passes', () => {});\n" },
    { 'b.test.js': PASSING_TEST },
  ),
  'runs one test alone': attacked({
    'a.test.js': "import { test } from 'node:test';\ntest.only('passes', () => {});\n",
  }),
  'empties the test': attacked({ 'a.test.js': '' }),
  'empties one test of asserts': attacked(
    { 'a.test.js': '// later\n' },
    { 'a.test.js': "import assert from 'node:assert';\nassert.equal(1, 2);\n", 'b.test.js': PASSING_TEST },
  ),
  'rewrites the script': attacked({
    'package.json': manifest({ test: 'node --test b.test.js' }),
    'b.test.js': PASSING_TEST,
  }),
  'adds a script before it': attacked({
    'package.json': manifest({ pretest: 'rm -f a.test.js', test: 'node --test' }),
  }),
  'brings a policy of its own': attacked({ 'headway.yaml': 'gate: ["node --version"]\n' }),
  'sets the shell of scripts': attacked({ '.npmrc': 'script-shell=/bin/true\n' }),
  'configures the runner': attacked({
    'vitest.config.ts': "export default { test: { exclude: ['**'] } };\n",
  }),
  'rewrites the program of the gate': attacked(
    { 'check.mjs': '' },
    { 'headway.yaml': 'gate: ["node check.mjs", "node --test"]\n', 'check.mjs': 'process.exit(0);\n' },
  ),
  'replaces an installed program': attacked(
    { 'node_modules/.bin/tool': '#!/bin/sh\nexit 0\n' },
    { 'node_modules/.bin/tool': '#!/bin/sh\nnode --test\n' },
  ),
  'rewrites what the program of the gate loads': attacked(
    { 'tools/rules.mjs': 'export const wrong = () => false;\n' },
    {
      'headway.yaml': 'gate: ["node tools/check.mjs", "node --test"]\n',
      'tools/check.mjs': "import { wrong } from './rules.mjs';\nprocess.exit(wrong() ? 1 : 0);\n",
      'tools/rules.mjs': 'export const wrong = () => process.argv.length > 9;\n',
    },
  ),
  'takes the runner from elsewhere': attacked({
    'package.json': manifest({ test: 'node --test' }, { devDependencies: { vitest: 'file:./fake' } }),
  }),
  'calls a package of its own like the runner': attacked({
    'fake/package.json': '{"name":"vitest","bin":{"vitest":"x.js"}}',
  }),
  'puts a configuration beside the sources': attacked(
    { 'src/package.json': '{}', 'src/.eslintrc.json': '{"root":true,"rules":{}}' },
    { 'src/a.js': 'export const a = 1;\n' },
  ),
  'loosens the type checker': attacked(
    { 'tsconfig.json': '{"compilerOptions":{"strict":false}}' },
    { 'tsconfig.json': TSCONFIG },
  ),
  'switches types off in a file': attacked(
    { 'src/a.ts': `// @ts-nocheck\n${TYPE_ERROR}` },
    { 'src/a.ts': 'export const a = 1;\n' },
  ),
  'switches lint off in a file': attacked({ 'a.js': '/* eslint-disable */\nexport const one = () => 2;\n' }),
  'changes the pipeline': attacked(
    { '.github/workflows/ci.yml': 'on: never\n' },
    { '.github/workflows/ci.yml': 'on: push\n' },
  ),
  'rewrites the setup of tests': attacked(
    { 'vitest.setup.ts': 'globalThis.expect = () => ({});\n' },
    { 'vitest.setup.ts': '' },
  ),
  'puts tests where none looks': attacked({ 'other/b.spec.js': FAILING_TEST }),
});

/** The same sound gate with a runner that shares its process with the tests. */
const NODE_TEST = manifest({ test: 'node --test' });
const TWO_TESTS = `${PASSING_TEST}test('one', () => {});\n`;
const twoTests = (first: string): string =>
  `import { test } from 'node:test';\n${first}\ntest('passes', () => {});\ntest('one', () => {});\n`;

const EVASIONS = named({
  'exits before the tests': attacked(
    { 'a.test.js': twoTests('process.exit(0);') },
    { 'a.test.js': TWO_TESTS },
  ),
  'exits between the tests': attacked(
    { 'a.test.js': `${PASSING_TEST}process.exit(0);\ntest('one', () => {});\n` },
    { 'a.test.js': TWO_TESTS, 'b.test.js': PASSING_TEST },
  ),
  'empties one test of two': attacked({ 'a.test.js': '' }, { 'b.test.js': PASSING_TEST }),
  'takes a failing test out of its file': attacked(
    { 'a.test.js': PASSING_TEST },
    { 'a.test.js': `${PASSING_TEST}test('one', () => { throw new Error(); });\n` },
  ),
  'exits when the code is loaded, beside a sound test': attacked(
    { 'a.js': 'process.exit(0);\nexport const one = () => 2;\n' },
    { 'a.test.js': `import './a.js';\n${FAILING_TEST}`, 'b.test.js': PASSING_TEST },
  ),
  'exits when the code is loaded': attacked(
    { 'a.js': 'process.exit(0);\nexport const one = () => 2;\n' },
    { 'a.test.js': `import './a.js';\n${FAILING_TEST}` },
  ),
  'skips by another name': attacked(
    {
      'a.test.js': `${PASSING_TEST}const later = process.env.CI ? test.skip : test;\nlater('one', () => {});\n`,
    },
    { 'a.test.js': TWO_TESTS },
  ),
  'skips by a key': attacked(
    { 'a.test.js': `${PASSING_TEST}test['skip']('one', () => {});\n` },
    { 'a.test.js': TWO_TESTS },
  ),
  'skips by the second option': attacked(
    { 'a.test.js': `${PASSING_TEST}test('one', { timeout: 1, skip: true }, () => {});\n` },
    { 'a.test.js': TWO_TESTS },
  ),
  'leaves a test early where it is judged': attacked(
    {
      'a.test.js': `${PASSING_TEST}test('one', () => { if (process.env.CI) return; throw new Error(); });\n`,
    },
    { 'a.test.js': TWO_TESTS },
  ),
  'is right only while it is tested': attacked({
    'a.js': 'export const one = () => (process.env.NODE_TEST_CONTEXT ? 1 : 2);\n',
  }),
  'overwrites what is printed': attacked({
    'b.test.js': `${PASSING_TEST}process.stdout.write = () => true;\nprocess.on('exit', () => { process.exitCode = 0; });\n`,
  }),
  'hides an added comment from the diff': attacked(
    { '.gitattributes': '*.ts binary\n', 'src/a.ts': `// @ts-nocheck\n${TYPE_ERROR}` },
    { 'src/a.ts': 'export const a = 1;\n' },
  ),
  'hides an added comment behind a name': attacked(
    { 'src/ä "b".ts': `// @ts-nocheck\n${TYPE_ERROR}` },
    { 'src/ä "b".ts': 'export const a = 1;\n' },
  ),
  'switches types off in a new file': {
    ...attacked(
      { 'src/b.ts': `// @ts-nocheck\n${TYPE_ERROR}` },
      {
        'package.json': manifest({ test: 'tsc --noEmit' }),
        'tsconfig.json': TSCONFIG,
        'src/a.ts': 'export const a = 1;\n',
      },
    ),
  },
  'declares every module there is': attacked(
    {
      'src/any.d.ts': "declare module '*';\n",
      'src/b.ts': "import { x } from 'nowhere';\nexport const b = x;\n",
    },
    {
      'package.json': manifest({ test: 'tsc --noEmit' }),
      'tsconfig.json': TSCONFIG,
      'src/a.ts': 'export const a = 1;\n',
    },
  ),
  'ignores what it tracks': attacked({ '.gitignore': 'a.js\n', 'a.js': 'debugger;\n' }),
  'changes what the configuration of tests loads': attacked(
    { 'test/setup.js': 'globalThis.expect = () => ({});\n' },
    {
      'vitest.config.js': "export default { test: { setupFiles: ['./test/setup.js'] } };\n",
      'test/setup.js': '',
    },
  ),
  'changes what the configuration imports': attacked(
    { 'tools/shared.js': "export const include = ['nothing'];\n" },
    {
      'vitest.config.js':
        "import { include } from './tools/shared.js';\nexport default { test: { include } };\n",
      'tools/shared.js': "export const include = ['**/*.test.js'];\n",
    },
  ),
  'brings a makefile that is read first': attacked(
    { GNUmakefile: 'check:\n\t@true\n' },
    { Makefile: 'check:\n\tnode --test\n', 'headway.yaml': 'gate: ["make check"]\n' },
  ),
  'changes what the makefile includes': attacked(
    { 'check.mk': 'check:\n\t@true\n' },
    {
      Makefile: 'include check.mk\n',
      'check.mk': 'check:\n\tnode --test\n',
      'headway.yaml': 'gate: ["make check"]\n',
    },
  ),
  'changes a task file': attacked(
    { 'Taskfile.yml': 'tasks: { check: "true" }\n' },
    { 'Taskfile.yml': 'tasks: { check: node --test }\n', 'headway.yaml': 'gate: ["task check"]\n' },
  ),
  'rewrites a program behind a wrapper': attacked(
    { 'check.mjs': '' },
    {
      'headway.yaml': 'gate: ["timeout 60 node check.mjs", "node --test"]\n',
      'check.mjs': 'process.exit(0);\n',
    },
  ),
  'preloads into the program': attacked(
    { 'hook.mjs': 'process.exit(0);\n' },
    { 'headway.yaml': 'gate: ["node --import ./hook.mjs --test"]\n', 'hook.mjs': '' },
  ),
  'sets variables that the runner loads': attacked(
    { '.env': 'NODE_OPTIONS=--import=./quiet.mjs\n', 'quiet.mjs': '' },
    { 'headway.yaml': 'gate: ["dotenv -- node --test"]\n' },
  ),
  'sets variables of a file that is named': attacked(
    { '.env.test': 'NODE_OPTIONS=--import=./quiet.mjs\n', 'quiet.mjs': '' },
    { 'headway.yaml': 'gate: ["node --env-file .env.test --test"]\n', '.env.test': 'A=1\n' },
  ),
  'asks another registry': attacked({ '.npmrc': 'registry=https://mine.example/\n' }),
  'brings a package manager': attacked(
    { '.yarnrc.yml': 'yarnPath: .yarn/releases/mine.cjs\n', '.yarn/releases/mine.cjs': '' },
    { '.yarnrc.yml': 'nodeLinker: node-modules\n' },
  ),
  'adds a plugin to the package manager': attacked(
    { '.yarnrc.yml': 'plugins:\n  - a.cjs\n  - mine.cjs\n', 'mine.cjs': '' },
    { '.yarnrc.yml': 'plugins:\n  - a.cjs\n' },
  ),
  'rewrites what is installed as it is installed': attacked({ '.pnpmfile.cjs': 'module.exports = {};\n' }),
  'pins other code under the same version': attacked(
    { 'package-lock.json': '{"packages":{"node_modules/a":{"version":"1.0.0","integrity":"sha512-y"}}}' },
    { 'package-lock.json': '{"packages":{"node_modules/a":{"version":"1.0.0","integrity":"sha512-x"}}}' },
  ),
  'takes a workspace out': attacked(
    { 'package.json': manifest({ test: 'npm test -ws' }, { workspaces: ['b'] }) },
    {
      'package.json': manifest({ test: 'npm test -ws' }, { workspaces: ['a', 'b'] }),
      'a/package.json': NODE_TEST,
      'b/package.json': NODE_TEST,
    },
  ),
  'turns a test into a link': attacked({ 'a.test.js': { link: 'b.js' }, 'b.js': PASSING_TEST }),
  'configures babel': attacked({ '.babelrc': '{"plugins":["./mine.js"]}', 'mine.js': '' }),
  'python: leaves tests out as they are collected': attacked(
    { 'conftest.py': 'collect_ignore_glob = ["*"]\n' },
    { 'test_a.py': 'def test_a(): pass\n' },
  ),
  'python: replaces the runner by a module': attacked(
    { 'pytest.py': 'print("1 passed")\n' },
    { 'test_a.py': '' },
  ),
  'python: runs code in every program': attacked({ 'sitecustomize.py': 'import os\n' }, { 'test_a.py': '' }),
  'go: leaves the tests out of the build': attacked(
    { 'a_test.go': '//go:build never\n\npackage a\n' },
    { 'go.mod': 'module a\n', 'a_test.go': 'package a\n' },
  ),
  'go: ends all tests well': attacked(
    {
      'main_test.go': 'package a\nimport ("os"; "testing")\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n',
    },
    { 'go.mod': 'module a\n', 'a_test.go': 'package a\n' },
  ),
  'go: another workspace': attacked({ 'go.work': 'go 1.22\nuse ./b\n' }, { 'go.mod': 'module a\n' }),
  'go: replaces a module': attacked(
    { 'go.mod': 'module a\nreplace example.com/assert => ./mine\n' },
    { 'go.mod': 'module a\n' },
  ),
  'cargo: leaves the tests out of the build': attacked(
    { 'Cargo.toml': '[package]\nname = "a"\nautotests = false\n[lib]\ntest = false\n' },
    { 'Cargo.toml': '[package]\nname = "a"\n' },
  ),
  'cargo: runs tests by a program of its own': attacked(
    { '.cargo/config.toml': '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n' },
    { 'Cargo.toml': '[package]\nname = "a"\n' },
  ),
  'deno: another task': attacked(
    { 'deno.json': '{"tasks":{"test":"true"}}' },
    { 'deno.json': '{"tasks":{"test":"deno test"}}', 'headway.yaml': 'gate: ["deno task test"]\n' },
  ),
});

/** Runners that load all files into one process, and checkers that are told by an option what to read. */
const COMMON = JSON.stringify({ name: 'fake', private: true, scripts: { test: 'mocha' } });
const LOADS = named({
  'runs a new test alone': attacked(
    { 'lib.js': 'module.exports = 2;\n', 'test/b.js': "it.only('b', () => {});\n" },
    {
      'package.json': COMMON,
      'lib.js': 'module.exports = 1;\n',
      'test/a.js': "it('a', () => { if (require('../lib.js') !== 1) throw new Error(); });\n",
    },
  ),
  'prints the closing line of the runner and ends': attacked(
    { 'a.js': "console.log('  1 passing (2ms)');\nprocess.exit(0);\n" },
    { 'package.json': COMMON },
  ),
  'changes the configuration that an option names': attacked(
    { 'conf/types.json': '{"compilerOptions":{"noEmit":true,"types":[]},"include":["../src"]}' },
    {
      'package.json': manifest({ typecheck: 'tsc -p conf/types.json' }),
      'conf/types.json': '{"compilerOptions":{"noEmit":true,"strict":true,"types":[]},"include":["../src"]}',
      'src/a.ts': 'export const a = 1;\n',
    },
  ),
  'changes what an option loads before the tests': attacked(
    { 'test/hook.js': 'global.it = () => {};\n' },
    { 'package.json': manifest({ test: 'mocha --file test/hook.js' }), 'test/hook.js': '' },
  ),
  'changes a program that is named without its ending': attacked(
    { 'tools/check/index.js': '' },
    {
      'headway.yaml': 'gate: ["node tools/check", "node --test"]\n',
      'tools/check/index.js': 'process.exit(0);\n',
    },
  ),
  'changes a program in another directory': attacked(
    { 'tools/check.sh': 'test -d .\n' },
    {
      'headway.yaml': 'gate: ["cd tools && sh check.sh", "node --test"]\n',
      'tools/check.sh': 'node --version\n',
    },
  ),
  'changes a program behind a condition': attacked(
    { 'check.sh': 'test -d .\n' },
    {
      'headway.yaml': 'gate: ["if [ -f check.sh ]; then sh check.sh; fi", "node --test"]\n',
      'check.sh': 'node --version\n',
    },
  ),
  'changes a program that xargs starts': attacked(
    { 'tools/check.sh': 'test -d .\n' },
    {
      'headway.yaml': 'gate: ["git ls-files | xargs sh tools/check.sh", "node --test"]\n',
      'tools/check.sh': 'node --version\n',
    },
  ),
  'writes down faults that lint is to leave be': attacked({
    'eslint-suppressions.json': '{"a.js":{"no-debugger":{"count":1}}}',
    'a.js': 'debugger;\n',
  }),
  'switches lint off behind code': attacked({
    'a.js': 'export const one = () => 2; /* eslint-disable */\ndebugger;\n',
  }),
  'switches lint off on the second line of a comment': attacked({
    'a.js': '/*\neslint-disable\n*/\ndebugger;\n',
  }),
  'switches types off with one stroke more': attacked(
    { 'src/a.ts': `/// @ts-nocheck\n${TYPE_ERROR}` },
    { 'src/a.ts': 'export const a = 1;\n' },
  ),
  'skips by the context': attacked(
    { 'a.test.js': "import { test } from 'node:test';\ntest('passes', (ctx) => ctx.skip());\n" },
    { 'b.test.js': PASSING_TEST },
  ),
  'skips by what the runner hands over': attacked(
    { 'a.test.js': "import { test } from 'vitest';\ntest('passes', ({ skip }) => skip());\n" },
    { 'b.test.js': PASSING_TEST },
  ),
  'moves a test to the fixtures': attacked(
    { 'a.test.js': undefined, 'fixtures/a.test.js': PASSING_TEST },
    { 'b.test.js': PASSING_TEST },
  ),
  'adds a script that the install runs': attacked({
    'package.json': manifest({ test: 'node --test', postinstall: 'rm -f a.test.js' }),
  }),
  'patches an installed runner': attacked({ 'patches/vitest+4.1.0.patch': 'diff --git a/x b/x\n' }),
  'lets a build pass over errors': attacked(
    { 'next.config.js': 'export default { typescript: { ignoreBuildErrors: true } };\n' },
    { 'package.json': manifest({ test: 'node --test', build: 'next build' }), 'next.config.js': '' },
  ),
});

export const FAKE_GREENS: readonly FakeGreen[] = [
  ...COMMANDS,
  ...SHELL_GREENS,
  ...GLOB_GREENS,
  ...TESTS,
  ...CHECKS,
  ...AGENTS,
  ...EVASIONS,
  ...LOADS,
];

/** Sound gates: a suite that calls everything not green would prove nothing. */
export const REAL_GREENS: readonly FakeGreen[] = named({
  'node --test': attacked({ 'a.js': 'export const one = () => 2;\n' }),
  'tests behind scripts': {
    files: {
      'package.json': manifest({ test: 'npm run unit', unit: 'node --test' }),
      'a.test.js': PASSING_TEST,
    },
  },
  'a new package with its own configuration': attacked({
    'packages/new/package.json': '{"name":"new"}',
    'packages/new/tsconfig.json': TSCONFIG,
    'packages/new/src/a.ts': 'export const a = 1;\n',
  }),
  'a newer version of the runner': attacked({
    'package.json': manifest({ test: 'node --test' }, { devDependencies: { vitest: '^4.1.0' } }),
  }),
  'a test of plain asserts': {
    files: {
      'package.json': manifest({ test: 'node --test' }),
      'a.test.js': "import assert from 'node:assert';\nassert.equal(1, 1);\n",
    },
  },
  'a report of JUnit': {
    files: {
      'package.json': manifest({ test: 'node --test --test-reporter=junit' }),
      'a.test.js': PASSING_TEST,
    },
  },
  'a test that prints the line of a compiler': {
    files: {
      'package.json': manifest({ test: 'node --test' }),
      'a.test.js': `${PASSING_TEST}console.log('src/a.ts(1,2): error TS2322: wrong');\n`,
    },
  },
  'a new test beside the old one': attacked({ 'b.test.js': PASSING_TEST }),
  'a new test that is skipped': attacked({ 'b.test.js': `${PASSING_TEST}test.skip('later', () => {});\n` }),
  'a test that moves to another file': attacked(
    { 'a.test.js': PASSING_TEST, 'b.test.js': PASSING_TEST },
    { 'a.test.js': `${PASSING_TEST}test('one', () => {});\n` },
  ),
  'a source that an option of a bundler names': attacked(
    { 'src/index.js': 'export const a = 2;\n' },
    {
      'package.json': manifest({ test: 'node --test', bundle: 'esbuild --bundle src/index.js' }),
      'src/index.js': 'export const a = 1;\n',
    },
  ),
  'a word about skipping in a new test': attacked({
    'b.test.js': `${PASSING_TEST}test('knows it.only( as text', () => {});\n`,
  }),
  'lint switched off for one line': attacked({
    'a.js': 'export const one = () => 2; // eslint-disable-line no-magic-numbers\n',
  }),
  'a helper beside the tests': attacked({ 'test/help.js': 'export const help = 1;\n' }),
  'something more to ignore': attacked({ '.gitignore': 'dist\n*.log\n' }),
  'an exact setting of the package manager': attacked({ '.npmrc': 'save-exact=true\n' }),
  'one more workspace': attacked(
    { 'package.json': manifest({ test: 'node --test' }, { workspaces: ['a', 'b'] }) },
    { 'package.json': manifest({ test: 'node --test' }, { workspaces: ['a'] }) },
  ),
  'an example of variables': attacked({ '.env.example': 'PORT=1\n' }),
  'a newer version in the lockfile': attacked(
    { 'package-lock.json': '{"packages":{"node_modules/a":{"version":"1.0.1","integrity":"sha512-y"}}}' },
    { 'package-lock.json': '{"packages":{"node_modules/a":{"version":"1.0.0","integrity":"sha512-x"}}}' },
  ),
  'a command that exits': attacked({ 'cli.js': "import { one } from './a.js';\nprocess.exit(one() - 1);\n" }),
  'the exit code passed on': {
    files: {
      'package.json': manifest({ test: 'node --test; code=$?; rm -f out.log; exit $code' }),
      'a.test.js': PASSING_TEST,
    },
  },
  'make with what it needs': {
    files: {
      'package.json': manifest({}),
      Makefile: 'all: check\ncheck:\n\t@echo testing # all\n\tnode --test\n',
      'a.test.js': PASSING_TEST,
    },
    gate: ['make -s all'],
  },
  'make with settings of its own': {
    files: {
      'package.json': manifest({}),
      Makefile:
        'SHELL := /usr/bin/env bash\nMAKEFLAGS += -j2 -Otarget\n.PHONY: check\ncheck:\n\tnode --test\n',
      'a.test.js': PASSING_TEST,
    },
    gate: ['make check'],
  },
  'pages in a test': attacked({
    'a.test.js': `${PASSING_TEST}export const find = ({ skip, take }) => [skip, take];\n`,
  }),
  'a shell script that tests': {
    files: {
      'package.json': manifest({}),
      'check.sh': '#!/bin/sh\nset -e\n# runs node --test\nnode --test\n',
      'a.test.js': PASSING_TEST,
    },
    gate: ['sh check.sh'],
  },
  'a failure that is counted': {
    files: {
      'package.json': manifest({
        test: 'for f in $(ls *.test.js); do node --test $f || failed=1; done; [ -z "$failed" ]',
      }),
      'a.test.js': PASSING_TEST,
    },
  },
  'set -e in a function': {
    files: {
      'package.json': manifest({ test: 'check() { set -e; node --test; echo done; }; check' }),
      'a.test.js': PASSING_TEST,
    },
  },
  'the exit code asked for': {
    files: {
      'package.json': manifest({ test: 'node --test; [ $? -eq 0 ]' }),
      'a.test.js': PASSING_TEST,
    },
  },
  'tried again': {
    files: { 'package.json': manifest({ test: 'node --test || node --test' }), 'a.test.js': PASSING_TEST },
  },
  vitest: vitest('vitest run', {
    'a.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
  }),
  'vitest with a computed include': vitest('vitest run', {
    'vitest.config.js':
      "export default { test: { include: ['a', 'b'].map((name) => name + '.test.ts') } };\n",
    'a.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
    'b.test.ts': "import { test } from 'vitest';\ntest('passes', () => {});\n",
  }),
  tsc: typed('tsc --noEmit', { 'src/a.ts': 'export const right: number = 1;\n' }),
  biome: { files: { 'package.json': manifest({}), 'a.js': 'export const a = 1;\n' }, gate: ['biome lint'] },
  'a check of its own': { files: { 'a.txt': 'x' }, gate: ['test -f a.txt'] },
});
