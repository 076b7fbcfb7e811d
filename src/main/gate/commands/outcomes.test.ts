import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hollowReason } from './hollow.ts';

const hollow = (command: string): boolean => hollowReason(command, {}) !== undefined;

describe('a command line whose exit code is not that of its check', () => {
  it.each([
    'if node check.mjs; then :; else echo x; fi',
    'if node check.mjs; then :; fi',
    'if ! node check.mjs; then echo bad; fi',
    'if node a.mjs; then echo a; elif node b.mjs; then echo b; else echo c; fi',
    'if [ -d src ]; then node check.mjs || true; fi',
    'for f in check.mjs; do node $f || echo x; done',
    'for i in 1; do node check.mjs; break; exit 1; done || true',
    'for i in 1; do node check.mjs || break; done',
    'for ((i=0;i<1;i++)); do node check.mjs || :; done',
    'while ! node check.mjs; do break; done',
    'while node check.mjs; do break; done',
    'until node check.mjs; do echo again; break; done',
    'case $(node check.mjs) in ok) echo ok;; *) echo bad;; esac',
    'case x in x) node check.mjs || echo bad;; esac',
    'sh <<EOF\nnode check.mjs || true\nEOF',
    "bash -s <<'EOF'\nnode check.mjs\nexit 0\nEOF",
    'sh <<< "node check.mjs; true"',
    'cat <<EOF\n$(node check.mjs)\nEOF',
    'f() { node check.mjs; return 0; }; f',
    'f() { return 1; }; f; true',
    'f() { node check.mjs; }; f || true',
    'trap "exit 0" EXIT; node check.mjs',
    "trap 'echo bye; exit 0' EXIT\nnode check.mjs",
    "trap 'exit 0' 0; node check.mjs; exit 1",
    'set -e; node check.mjs && echo fine; true',
    'set -e; if node check.mjs; then echo a; fi',
    'set -e; ! node check.mjs; echo done',
    'set -e; set +e; node check.mjs; true',
    'node check.mjs & wait',
    'coproc node check.mjs',
    '(node check.mjs) || (echo bad)',
    '{ node check.mjs; } 2>&1 | tee log',
    'node check.mjs | { cat; }; true',
    'eval "node check.mjs || true"',
    'x=$(node check.mjs); true',
    'echo "$(node check.mjs)"',
    'node check.mjs; :',
    'time node check.mjs; echo',
    '! ! true',
    'exit 0; node check.mjs',
    'true || node check.mjs',
    'return 0; node check.mjs',
    'f() { set -e; node check.mjs; echo ok; }; f || exit 1',
    'f() { set -e; node check.mjs; echo ok; }; if f; then :; else exit 1; fi',
    'f() { set -e; node check.mjs; echo ok; }; f && echo fine; true',
    'set -e; f() { node check.mjs; echo ok; }; ! f; echo end',
    '(set -e; node check.mjs; echo on) || exit 1',
    'eval "set -e; node check.mjs; echo on" || exit 1',
    'set -e; x=$(node check.mjs; echo y); echo "$x"',
    'node check.mjs &> log',
    'node check.mjs &>> log && echo done',
    '{ node a.mjs; node b.mjs; } &> log',
    'if node check.mjs &> log; then :; else exit 1; fi',
    'sh -c "node check.mjs &> log"',
    "trap 'exit 0' ERR; node check.mjs",
    "trap 'echo failed; exit 0' ERR EXIT; node a.mjs; node b.mjs",
    "f() { trap 'exit 0' ERR; }; f; node check.mjs",
    "trap 'exit 0' SIGCHLD; node check.mjs",
    "trap 'exit 0' DEBUG; node check.mjs",
    "trap 'exit 0' exit; node check.mjs",
    'readonly out=$(node check.mjs)',
    'declare out=$(node check.mjs)',
    'f() { local out=$(node check.mjs); }; f',
    'export out="$(node check.mjs)"',
    'out=$(node check.mjs) true',
    'node check.mjs | while read -r line; do echo "$line"; done',
  ])('%j', (command) => {
    expect(hollow(command)).toBe(true);
  });

  it.each([
    'if node check.mjs; then :; else exit 1; fi',
    'if ! node check.mjs; then echo bad; exit 1; fi',
    'if [ -f x ]; then node check.mjs; else node other.mjs; fi',
    'for f in a b; do node check.mjs $f || exit 1; done',
    'for f in a; do node check.mjs $f; done',
    'for f in a b; do node check.mjs $f || { echo bad; exit 1; }; done',
    'set -e; for f in a b; do node check.mjs $f; done',
    'while read -r f; do node check.mjs "$f" || exit 1; done < list',
    'case "$OS" in linux) node check.mjs;; *) node other.mjs;; esac',
    "sh <<'EOF'\nset -e\nnode check.mjs\nEOF",
    'f() { node check.mjs; }; f',
    'f() { node check.mjs || return 1; echo ok; }; f',
    "trap 'rm -rf tmp' EXIT; node check.mjs",
    'x=$(node check.mjs)',
    'x=$(node check.mjs) || exit 1; echo "$x"',
    'node check.mjs &\nwait $!',
    'set -euo pipefail\nnode check.mjs | tee log',
    'set -o errexit; node check.mjs; echo done',
    '{ node check.mjs; }',
    '(set -e; node check.mjs; echo ok)',
    '[[ -f a.txt ]]',
    '(( 1 + 1 == 2 )) && node check.mjs',
    'eval "node check.mjs"',
    'diff <(node a.mjs) <(node b.mjs)',
    'set -e && true; node check.mjs; echo on',
    'f() { set -e; node check.mjs; echo ok; }; f',
    'if true; then set -e; fi; node check.mjs',
    'bash -c "node check.mjs &> log"',
    'node check.mjs > log 2>&1',
    "trap 'echo failed' ERR; node check.mjs",
    "trap 'exit 1' ERR; node check.mjs; true",
    "trap 'exit 0' ERR; trap - ERR; node check.mjs",
    "trap 'exit 0' TERM; node check.mjs",
    'f() { local out; out=$(node check.mjs); }; f',
    'out=$(node check.mjs); code=$?; echo "$out"; exit $code',
    'ls | while read -r f; do node check.mjs "$f" || exit 1; done',
  ])('%j is none', (command) => {
    expect(hollowReason(command, {})).toBeUndefined();
  });

  it.each([
    'for p in a b; do eslint $p; done',
    'if tsc --noEmit; then vitest run; else vitest run; fi',
    'f() { eslint .; vitest run; }; f',
    'for p in packages/*; do vitest run $p; done; true && test -d src',
    'ls packages | while read p; do eslint $p; done',
    'while read p; do eslint $p; done < list',
    'for p in $(ls packages); do eslint $p; done',
    'for ((i=0;i<2;i++)); do eslint $i; done',
    'if [ -d src ]; then tsc; test -d out; fi',
    '[ -d src ] && { eslint . || test -d out; }',
    'case $1 in a) tsc; test -d out;; esac',
    'tsc | tee log; test -f log',
    'set -e; ls | while read p; do eslint $p; done | tee log; test -f log',
    'set -e; tsc & vitest run',
    'echo "$(tsc)"; test -d src',
    'export OUT=$(eslint .); test -d src',
    'tsc; code=1; test -n "$CI"',
  ])('%j can succeed although a checker failed', (command) => {
    expect(hollowReason(command, {})).toMatch(/although (eslint|tsc|vitest) failed/);
  });

  it.each([
    'for p in a b; do eslint $p || exit 1; done',
    'for p in a b; do eslint $p || failed=1; done; exit $failed',
    'set -e; for p in a b; do eslint $p; done',
    'if tsc --noEmit; then vitest run; else exit 1; fi',
    'f() { eslint . && vitest run; }; f',
    'ls | while read p; do eslint $p || exit 1; done',
    'set -eo pipefail; ls | while read p; do eslint $p; done | tee log; test -f log',
    'for p in $(ls); do eslint $p || failed=1; done; [ -z "$failed" ]',
    'for p in $(ls); do eslint $p || failed=1; done; if [ -n "$failed" ]; then exit 1; fi',
    'tsc; code=$?; rm -rf out; if [ $code -ne 0 ]; then exit $code; fi',
    'tsc; code=$?; if [[ $code != 0 ]]; then exit 1; fi',
    'tsc; code=$?; (( code == 0 ))',
    '[ -d src ] || exit 0; eslint .',
    'if [ -d src ]; then eslint .; fi',
    'out=$(eslint .) || { echo "$out"; exit 1; }',
    'tsc & pid=$!; vitest run && wait $pid',
    'out=$(tsc); [ -z "$out" ]',
  ])('%j can not', (command) => {
    expect(hollowReason(command, {})).toBeUndefined();
  });

  it('ends for any text, however deep', () => {
    const piece = fc.constantFrom(
      'if',
      'then',
      'fi',
      'for x in a; do',
      'done',
      '(',
      ')',
      '{',
      '}',
      '<<E\n',
      'E\n',
      ';',
      '&&',
      '|',
      'f() {',
      'f',
      'eval f',
      'a',
      "'",
      '"',
      '$(',
      '`',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        hollowReason(pieces.join(' '), {});
      }),
      { numRuns: 2000 },
    );
    expect(hollowReason('f() { f; f; node check.mjs; }; f', {})).toBeUndefined();
    const doubled = Array.from({ length: 40 }, (_, index) => `f${index + 1}() { f${index}; f${index}; }`);
    expect(hollow(`f0() { node check.mjs; }; ${doubled.join('; ')}; f40`)).toBe(true);
    hollowReason(`${'('.repeat(2000)}a${')'.repeat(2000)}`, {});
  });
});
