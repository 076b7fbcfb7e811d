/**
 * Ways to look green while the gate runs: by what an agent left running or wrote outside of its slot, and by what its own code does when the gate
 * starts it. Each sits on work that is wrong, and goes the whole way: agent, gate, merge.
 */
export type RunningGreen = {
  name: string;
  /** Shell lines of the agent, in its slot; `$ID` names its ticket, `$HOME` the person's home, `$DAEMON` a program that mends and puts back. */
  agent: string;
  /** Without process namespaces, as on other platforms: then the daemon lives, and has to be told by what it does. */
  without?: true;
  /** It is sound, and has to be merged. */
  sound?: true;
};

/** The repository that all of them work on. Its gate runs the tests, a check, a check by git, and a last step that takes its time. */
export const RUNNING_FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'running',
    private: true,
    type: 'module',
    scripts: { test: 'node --test --test-concurrency=1' },
  }),
  'headway.yaml': [
    'setup: node install.mjs',
    'gate:',
    '  - { name: test, run: npm test }',
    '  - { name: check, run: bash -lc "node node_modules/checker/index.mjs" }',
    '  - { name: look, run: node look.mjs }',
    '  - { name: last, run: node last.mjs }',
    '',
  ].join('\n'),
  '.gitignore': 'node_modules\nlast-runs\n',
  'install.mjs':
    "import { cpSync } from 'node:fs';\ncpSync('checker.mjs', 'node_modules/checker/index.mjs', { recursive: true });\n",
  'checker.mjs': `import { readdirSync, readFileSync } from 'node:fs';
for (const name of readdirSync('src')) {
  const text = readFileSync('src/' + name, 'utf8');
  if (/WRONG|FORBIDDEN/.test(text)) throw new Error(name + ' is wrong');
}
console.log('checked ' + readdirSync('src').length + ' files');
`,
  'look.mjs': `import { spawnSync } from 'node:child_process';
const found = spawnSync('git', ['grep', '-I', '-l', '-e', 'WRONG', '-e', 'UNSEEN', '--', 'src'], { encoding: 'utf8' });
if (found.status !== 1) throw new Error('wrong: ' + found.stdout + found.stderr);
console.log('looked at the sources');
`,
  'last.mjs': `import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
writeFileSync('last-runs', '');
await delay(1500);
rmSync('last-runs');
console.log('looked at the last thing');
`,
  'src/base.js': 'export const base = 1;\n',
  'test/base.test.js': `import { test } from 'node:test';
import { readdirSync, readFileSync } from 'node:fs';
test('no source is wrong', () => {
  for (const name of readdirSync('src'))
    if (readFileSync('src/' + name, 'utf8').includes('WRONG')) throw new Error(name + ' is wrong');
});
`,
};

/** Mends a ticket's file in every tree of the data directory but the agent's own, which would make its work right, and puts it back when the gate's last step runs. usage: daemon.sh SLOTS ID OWN */
export const DAEMON = `slots=$1; id=$2
while [ -d "$slots" ]; do
  for tree in "$slots"/*/[a-z]*; do
    file="$tree/src/$id.js"
    [ "$tree" != "$3" ] && [ -f "$file" ] || continue
    if [ -e "$tree/last-runs" ]; then printf 'WRONG\\n' >"$file"
    elif grep -q WRONG "$file" 2>/dev/null; then printf 'RIGHT\\n' >"$file"; fi
  done
  sleep 0.02
done
`;

const WRONG = 'mkdir -p src test && echo WRONG >src/$ID.js';
const QUIET = '</dev/null >/dev/null 2>&1 &';
const SLOTS = '"$(dirname "$(dirname "$PWD")")"';

const DAEMONS: Readonly<Record<string, string>> = {
  'a daemon without parent, session, environment and directory': `own=$PWD; slots=${SLOTS}; (cd / && setsid env -i PATH=/usr/bin:/bin sh -c '(sh "$0" "$1" "$2" "$3" &)' $DAEMON "$slots" $ID "$own" ${QUIET})`,
  'a daemon that ignores signals': `own=$PWD; slots=${SLOTS}; (cd / && setsid env -i PATH=/usr/bin:/bin sh -c 'trap "" TERM HUP INT; sh "$0" "$1" "$2" "$3"' $DAEMON "$slots" $ID "$own" ${QUIET})`,
  'a daemon of node': `own=$PWD; slots=${SLOTS}; node -e "require('child_process').spawn('sh', process.argv.slice(1), { detached: true, stdio: 'ignore', cwd: '/', env: { PATH: '/usr/bin:/bin' } }).unref()" $DAEMON "$slots" $ID "$own"`,
  'a daemon that another one starts again': `own=$PWD; slots=${SLOTS}; (cd / && setsid env -i PATH=/usr/bin:/bin sh -c 'while [ -d "$1" ]; do sh "$0" "$1" "$2" "$3"; done' $DAEMON "$slots" $ID "$own" ${QUIET})`,
};

/** Code in a test of the agent's, which the gate itself runs: `first` before all others, `last` after them. */
const tests = (first: string, last = ''): string =>
  [
    WRONG,
    `cat >test/$ID.js <<'END'\nimport { readFileSync, writeFileSync, renameSync, utimesSync, statSync, rmSync, existsSync, copyFileSync } from 'node:fs';\nimport { spawn } from 'node:child_process';\nEND`,
    `{ cat test/$ID.js; cat <<'END'; } | sed "s/THIS/$ID/g" >test/a-$ID.test.js\nimport { test } from 'node:test';\ntest('first', () => {\n${first}\n});\nEND`,
    `{ cat test/$ID.js; cat <<'END'; } | sed "s/THIS/$ID/g" >test/z-$ID.test.js\nimport { test } from 'node:test';\ntest('last', () => {\n${last}\n});\nEND`,
    'rm test/$ID.js',
  ].join('\n');

const FILE = "'src/THIS.js'";
const MEND = `writeFileSync(${FILE}, 'RIGHT\\n');`;
const BREAK = `writeFileSync(${FILE}, 'WRONG\\n');`;
/** Puts a file back when the gate's last step runs, from a process that outlives its test. */
const later = (put: string): string =>
  `spawn(process.execPath, ['--input-type=module', '-e', \`import { writeFileSync, existsSync, copyFileSync } from 'node:fs'; const timer = setInterval(() => { if (!existsSync('package.json')) process.exit(); if (existsSync('last-runs')) { ${put}; process.exit(); } }, 20);\`], { detached: true, stdio: 'ignore', env: { PATH: process.env.PATH } }).unref();`;

const OF_TESTS: Readonly<Record<string, string>> = {
  'a test that mends a source, and a later one that puts it back': tests(MEND, BREAK),
  'the same with the times that it had': tests(
    `const { atime, mtime } = statSync(${FILE}); ${MEND} utimesSync(${FILE}, atime, mtime);`,
    `const { atime, mtime } = statSync(${FILE}); ${BREAK} utimesSync(${FILE}, atime, mtime);`,
  ),
  'the same with the file itself moved away and back': tests(
    `renameSync(${FILE}, 'node_modules/THIS.js'); ${MEND}`,
    `renameSync('node_modules/THIS.js', ${FILE});`,
  ),
  'a test that mends a source for the steps after it': tests(MEND),
  'a test that leaves behind who puts the source back': tests(
    `${MEND}\n${later("writeFileSync('src/THIS.js', 'WRONG\\\\n')")}`,
  ),
  'a test that takes a source away, and a later one that brings it back': tests(`rmSync(${FILE});`, BREAK),
  'a test that changes the test beside it, and a later one that puts it back': tests(
    "copyFileSync('test/base.test.js', 'node_modules/base'); writeFileSync('test/base.test.js', \"import { test } from 'node:test'; test('x', () => {});\"); " +
      MEND,
    `copyFileSync('node_modules/base', 'test/base.test.js'); ${BREAK}`,
  ),
  'a test that changes an installed checker': tests(
    `writeFileSync('node_modules/checker/index.mjs', "console.log('checked 9 files')"); ${MEND}`,
    BREAK,
  ),
  'a test that changes an installed checker and puts it back': tests(
    `copyFileSync('node_modules/checker/index.mjs', 'node_modules/old'); writeFileSync('node_modules/checker/index.mjs', "console.log('checked 9 files')"); ${MEND}\n${later("copyFileSync('node_modules/old', 'node_modules/checker/index.mjs')")}`,
    BREAK,
  ),
};

/** What one step of the gate alone finds: the tests, the checker, the look by git. */
const FAILS = `mkdir -p src test; echo 'export const right = 1;' >src/$ID.js; cat >test/$ID.test.js <<'END'\nimport { test } from 'node:test';\ntest('fails', () => { throw new Error('WRONG'); });\nEND`;
const FORBIDDEN = 'mkdir -p src test; echo FORBIDDEN >src/$ID.js';
const UNSEEN = 'mkdir -p src test; echo UNSEEN >src/$ID.js';

const home = (path: string, text: string): string =>
  `mkdir -p "$(dirname "$HOME/${path}")"\ncat >"$HOME/${path}" <<'END'\n${text}\nEND`;

const OF_HOME: Readonly<Record<string, string>> = {
  'script-shell in the npm settings of the person': `${FAILS}\n${home('.npmrc', 'script-shell=/bin/true')}`,
  'node-options in the npm settings of the person': `${FAILS}\n${home('.npmrc', 'node-options=--test-name-pattern=nothing')}`,
  'ignore-scripts in the npm settings of the person': `${FAILS}\n${home('.npmrc', 'ignore-scripts=true')}`,
  'a global npm configuration named by that of the person': `${FAILS}\n${home('.npmrc', `globalconfig=${'$'}{HOME}/.more`)}\necho script-shell=/bin/true >"$HOME/.more"`,
  'a script-shell behind a registry': `${FAILS}\n${home('.npmrc', 'registry=https://registry.npmjs.org/\nscript-shell = "/bin/true"\n[more]')}`,
  'an exit in .bash_profile': `${FORBIDDEN}\n${home('.bash_profile', 'echo checked 9 files; exit 0')}`,
  'an exit in .profile': `${FORBIDDEN}\n${home('.profile', 'echo checked 9 files; exit 0')}`,
  'a function in .bash_profile that stands for a program': `${FORBIDDEN}\n${home('.bash_profile', 'node() { echo checked 9 files; }')}`,
  'attributes of git that make sources binary': `${UNSEEN}\n${home('.config/git/attributes', '* binary')}`,
  'a git configuration that makes sources binary': `${UNSEEN}\n${home('.gitconfig', '[core]\n\tattributesFile = ~/.attributes')}\necho '* binary' >"$HOME/.attributes"`,
  'a package in the home that no manifest names': `mkdir -p "$HOME/.node_modules/ghost" src test && echo 'exports.one = 1;' >"$HOME/.node_modules/ghost/index.js"
echo 'export const right = 1;' >src/$ID.js
cat >test/$ID.test.cjs <<'END'
require('node:test').test('uses it', () => { if (require('ghost').one !== 1) throw new Error('no'); });
END`,
};

const ALL_THE_SAME: Readonly<Record<string, string>> = {
  'wrong work, and nothing to hide it': WRONG,
  'wrong work beside a pipe, a socket and a link to itself': `${WRONG}; mkfifo src/pipe.js; ln -s src src/self; node -e "const s = require('net').createServer().listen('src/socket'); s.unref()"`,
};

const cases = (of: Readonly<Record<string, string>>, more: Omit<RunningGreen, 'name' | 'agent'> = {}) =>
  Object.entries(of).map(([name, agent]): RunningGreen => ({ name, agent, ...more }));
const withWrong = (of: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(of).map(([name, agent]) => [name, `${WRONG}\n${agent}`]));

export const RUNNING_GREENS: readonly RunningGreen[] = [
  ...cases(withWrong(DAEMONS)),
  ...cases(OF_TESTS),
  ...cases(OF_HOME),
  ...cases(ALL_THE_SAME),
  ...cases(
    Object.fromEntries(
      [...Object.entries(withWrong(DAEMONS)), ...Object.entries(OF_TESTS)].map(([name, agent]) => [
        `${name}, without process namespaces`,
        agent,
      ]),
    ),
    { without: true },
  ),
];

const RIGHT = "mkdir -p src test && echo 'export const right = 1;' >src/$ID.js";

/** Sound work, whatever else its agent left; it has to be merged. */
export const RUNNING_REALS: readonly RunningGreen[] = cases(
  {
    'sound work': RIGHT,
    'sound work with a server left behind': `${RIGHT}; setsid sleep 300 ${QUIET}`,
    'sound work beside a pipe': `${RIGHT}; mkfifo src/pipe pipe`,
    'sound work beside a socket': `${RIGHT}; node -e "require('net').createServer().listen('socket', () => process.exit())"`,
    'sound work beside directories deeper than any path may be': `${RIGHT}; node -e "const d = 'd'.repeat(100); for (let i = 0; i < 60; i += 1) { require('fs').mkdirSync(d); process.chdir(d); } require('fs').writeFileSync('deep', '')"`,
  },
  { sound: true },
);
