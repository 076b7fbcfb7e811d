import { attacked, type FakeGreen, named, PASSING_TEST, typed } from './green-case.ts';

/** A program of the repository that finds fault with it; nobody knows it for a checker. */
const CHECK = { 'check.mjs': "console.error('wrong');\nprocess.exit(1);\n" };
const checked = (command: string): Omit<FakeGreen, 'name'> => ({ files: CHECK, gate: [command] });

/** Every shape of the shell in which a failure goes nowhere. */
export const SHELL_GREENS: readonly FakeGreen[] = named({
  'a condition whose other way prints': checked('if node check.mjs; then :; else echo x; fi'),
  'a condition without another way': checked('if node check.mjs; then :; fi'),
  'a negated condition': checked('if ! node check.mjs; then echo bad; fi'),
  'a condition behind another': checked('if false; then :; elif node check.mjs; then :; else echo x; fi'),
  'a for loop that goes on': checked('for f in check.mjs; do node $f || echo bad; done'),
  'a for loop that breaks': checked('for i in 1; do node check.mjs || break; done'),
  'an arithmetic loop': checked('bash -c "for ((i=0;i<2;i++)); do node check.mjs || :; done"'),
  'a while loop over a failure': checked('while node check.mjs; do break; done'),
  'an until loop that gives up': checked('until node check.mjs; do break; done'),
  'a case over what it prints': checked('case "$(node check.mjs 2>&1)" in ok) echo ok;; *) echo bad;; esac'),
  'a case whose branch forgives': checked('case x in x) node check.mjs || echo bad;; esac'),
  'a shell that reads a here-document': checked('sh <<EOF\nnode check.mjs || true\nEOF'),
  'a here-document that ends with a word': checked("sh <<'EOF'\nnode check.mjs\nexit 0\nEOF"),
  'a here-document that holds the check': checked('cat <<EOF\n$(node check.mjs)\nEOF'),
  'a here-string': checked('bash -c \'bash <<< "node check.mjs; true"\''),
  'a function that returns well': checked('f() { node check.mjs; return 0; }; f'),
  'a function whose failure is passed over': checked('f() { node check.mjs; }; f || true'),
  'a trap of a number': checked("trap 'exit 0' 0; node check.mjs"),
  'a trap of several words': checked("trap 'echo bye; exit 0' EXIT\nnode check.mjs"),
  'set -e before a list': checked('set -e; node check.mjs && echo fine; true'),
  'set -e in a condition': checked('set -e; if node check.mjs; then echo a; fi'),
  'set -e before a negation': checked('set -e; ! node check.mjs; echo done'),
  'set -e that is taken back': checked('set -e; set +e; node check.mjs; true'),
  'a group in a pipe': checked('{ node check.mjs; } 2>&1 | tee out.log'),
  'a coprocess': checked("bash -c 'coproc node check.mjs; wait'"),
  'an evaluated text': checked('eval "node check.mjs || true"'),
  'a variable that takes what it prints': checked('x=$(node check.mjs); true'),
  'a failure behind an end': checked('exit 0; node check.mjs'),
  'a way that is never taken': checked('true || node check.mjs'),
  'set -e in a function that is a condition': checked(
    'f() { set -e; node check.mjs; echo ok; }; f || exit 1',
  ),
  'set -e in a part that is a condition': checked('(set -e; node check.mjs; echo ok) && echo fine'),
  'the background in two signs': checked('node check.mjs &> out.log'),
  'the background of a group in two signs': checked('{ node check.mjs; node check.mjs; } &>> out.log'),
  'a trap of failures': checked('bash -c "trap \'exit 0\' ERR; node check.mjs"'),
  'a trap of ended programs': checked("trap 'exit 0' CHLD; node check.mjs"),
  'a trap before each command': checked('bash -c "trap \'exit 0\' DEBUG; node check.mjs"'),
  'a variable that is exported': checked('export out=$(node check.mjs)'),
  'a variable that is made in a function': checked('f() { local out=$(node check.mjs); }; f'),
  'a variable that can not be changed': checked('readonly out=$(node check.mjs)'),
  'types: a loop behind a pipe': typed(
    'echo src | while read -r dir; do tsc --noEmit >/dev/null; test -d "$dir"; done',
  ),
  'types: a loop over what a command prints': typed(
    'for dir in $(echo src); do tsc --noEmit >/dev/null; test -d "$dir"; done',
  ),
  'types: a failure behind a condition': typed(
    'if [ -d src ]; then tsc --noEmit >/dev/null; test -d src; fi',
  ),
  'types: in a substitution': typed('echo "$(tsc --noEmit)" >/dev/null; test -d src'),
  'a script too long to follow': checked(
    `f0() { node check.mjs; }; ${Array.from({ length: 20 }, (_, index) => `f${index + 1}() { f${index} && f${index}; }`).join('; ')}; f20 || true`,
  ),
});

const policy = (...protect: string[]): string => JSON.stringify({ gate: ['node --test'], protect });
const released = (glob: string, name: string): Omit<FakeGreen, 'name'> =>
  attacked(
    { [name]: 'lax\n' },
    { 'headway.yaml': policy(glob), [name]: 'strict\n', 'a.test.js': PASSING_TEST },
  );

/** What a policy protects, however it is written. */
export const GLOB_GREENS: readonly FakeGreen[] = named({
  'protected by a class': released('scripts/release.[cm]js', 'scripts/release.mjs'),
  'protected by a range': released('rules/v[0-9].txt', 'rules/v7.txt'),
  'protected by a group': released('scripts/release.?(c|m)js', 'scripts/release.cjs'),
  'protected by all but one': released('scripts/!(a).sh', 'scripts/b.sh'),
  'protected by a name with brackets': released('rules/[id].txt', 'rules/[id].txt'),
  'protected at any depth': released('rules/**.txt', 'rules/deep/a.txt'),
  'protected without case': released('Rules/A.TXT', 'rules/a.txt'),
});
