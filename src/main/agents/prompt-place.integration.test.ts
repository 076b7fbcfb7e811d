import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { posixCommandLine, windowsCommandLine } from './command-line.ts';

/** Each is a way to make a shell, an arithmetic context or an interpreter run something. */
const HOSTILE = [
  '$(touch PWNED)',
  '`touch PWNED`',
  '"; touch PWNED; "',
  "'; touch PWNED; '",
  '\'"; touch PWNED; "\'',
  'x\ntouch PWNED\n',
  'touch PWNED',
  'a[$(touch PWNED)]',
  '\\"; touch PWNED #',
  '{ touch PWNED; }',
  "$'\\'; touch PWNED; '",
  'EOF\ntouch PWNED\nEOF',
];

/** Lines in which the prompt stays text. `agent` writes its arguments to the file `got`. */
const TAKEN = [
  'agent {prompt}',
  'agent "{prompt}"',
  "agent '{prompt}'",
  'agent --message={prompt}',
  'agent -c model=x -- "do: {prompt}"',
  './agent run {prompt} > log 2>&1',
  'true && agent {prompt} || exit 1',
  'if true; then agent {prompt}; fi',
  '( agent {prompt} )',
  '{ agent {prompt}; }',
  'printf %s {prompt} | agent',
  'env -u B A=1 agent {prompt}',
  'timeout -k 5 60 nice -n 5 agent {prompt}',
  'exec agent {prompt}',
  'sh agent {prompt}',
  'bash ./agent {prompt}',
  "sh -c 'agent {prompt}'",
  'sh -c "agent {prompt}"',
  "bash -ec 'cd . && agent --x {prompt}'",
  'A=1 agent {prompt}',
];

const REFUSED = [
  'eval agent {prompt}',
  "eval 'agent {prompt}'",
  "bash -c -- 'agent {prompt}'",
  "sh -c $'agent {prompt}'",
  'sh -c {prompt}',
  'sh -c \'agent "{prompt}"\'',
  "sh -c 'agent '{prompt}",
  'sh -c \'agent "$1"\' x {prompt}',
  "sh -c 'eval agent {prompt}'",
  'sh -c \'sh -c "agent {prompt}"\'',
  'sh -c "agent $(cat x) {prompt}"',
  'agent "$(printf %s {prompt})"',
  'bash -c "$(printf %s {prompt})"',
  'bash --rcfile {prompt} -i',
  "su root --command 'agent {prompt}'",
  'su -c {prompt} me',
  'sudo agent {prompt}',
  "tmux new -d 'agent {prompt}'",
  'ssh box agent {prompt}',
  'watch agent {prompt}',
  'script -c "agent {prompt}" log',
  'echo {prompt} | xargs agent',
  'echo {prompt} | sh',
  'echo {prompt} | bash -s',
  'echo {prompt} | while read x; do eval "$x"; done',
  'find . -exec agent {prompt} \\;',
  'sh <<EOF\n{prompt}\nEOF',
  'agent <<EOF\n{prompt}\nEOF',
  'agent <<< {prompt}',
  'agent < {prompt}',
  'agent > {prompt}',
  'P={prompt}; eval "$P"',
  'export P={prompt}',
  'P={prompt} agent',
  '{prompt} x',
  'x{prompt} y',
  'for x in {prompt}; do agent "$x"; done',
  'case {prompt} in *) agent;; esac',
  '[ {prompt} -eq 1 ]',
  '[[ {prompt} -eq 1 ]]',
  'echo $(( {prompt} ))',
  'echo $\u007bX:-{prompt}}',
  'test -v {prompt}',
  'let {prompt}',
  'unset {prompt}',
  'f() { eval "$1"; }; f {prompt}',
  'trap {prompt} EXIT',
  'alias agent={prompt}',
  '. {prompt}',
  'env -S {prompt}',
  "env -S 'agent {prompt}'",
  'env {prompt}',
  'nohup eval {prompt}',
  'timeout 5 {prompt}',
  'python3 -c {prompt}',
  'node -e {prompt}',
  'node -pe {prompt}',
  'node --eval={prompt}',
  'perl -e {prompt}',
  'perl -ne {prompt} f',
  'python3 {prompt}',
  'awk {prompt}',
  'sed -e {prompt} f',
  'make X={prompt}',
  'docker run box sh -c {prompt}',
  'box run -- bash -lc {prompt}',
  'box --command {prompt}',
  'box --exec={prompt}',
  'box -c {prompt}',
  'agent `echo {prompt}`; sh -c "$(agent {prompt} | sh)"',
  '$AGENT {prompt}',
  'command eval {prompt}',
  'agent {prompt',
].filter((line) => line.includes('{prompt}'));

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'headway-prompt-'));
  const agent = join(dir, 'agent');
  writeFileSync(agent, '#!/bin/sh\nif [ $# = 0 ]; then cat > got; else printf %s "$*" > got; fi\n');
  chmodSync(agent, 0o755);
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Runs the line with this prompt; what `agent` got, and whether something else ran. */
function attempt(line: string, prompt: string): { got: string; pwned: boolean } {
  for (const name of ['got', 'PWNED']) rmSync(join(dir, name), { force: true });
  const env = { PATH: `${dir}:${process.env.PATH}`, HEADWAY_PROMPT: prompt };
  spawnSync('/bin/sh', ['-c', posixCommandLine(line)], { cwd: dir, env, timeout: 20_000 });
  const got = join(dir, 'got');
  return { got: existsSync(got) ? readFileSync(got, 'utf8') : '', pwned: existsSync(join(dir, 'PWNED')) };
}

describe.runIf(process.platform !== 'win32')('a prompt', () => {
  it.each(TAKEN)('is text and nothing else in `%s`', (line) => {
    for (const prompt of HOSTILE) {
      const { got, pwned } = attempt(line, prompt);
      expect(pwned).toBe(false);
      expect(got).toContain(prompt.trimEnd());
    }
  });

  it.each(REFUSED)('is refused in `%s`, with the way out', (line) => {
    expect(() => posixCommandLine(line)).toThrow(/agent command: .*\{promptFile\}/s);
  });

  it('runs nothing in any line of such pieces that is not refused', () => {
    const pieces = fc.constantFrom(
      ...['agent', 'sh', 'bash', '-c', '-lc', 'eval', 'env', 'exec', '{prompt}', '"{prompt}"', "'{prompt}'"],
      ...[
        "'agent {prompt}'",
        '"agent {prompt}"',
        '|',
        '&&',
        ';',
        '$(',
        ')',
        '<<<',
        '--',
        'x',
        'time',
        '-S',
        'A=',
      ],
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 2, maxLength: 7 }),
        fc.constantFrom(...HOSTILE),
        (parts, prompt) => {
          const line = parts.join(' ');
          let isTaken = true;
          try {
            posixCommandLine(line);
          } catch {
            isTaken = false;
          }
          if (isTaken && line.includes('{prompt}')) expect(attempt(line, prompt).pwned).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('on Windows', () => {
  it.each(['codex exec {prompt}', 'python agent.py "{prompt}"'])('a prompt is taken in `%s`', (line) => {
    expect(windowsCommandLine(line)).toContain('!HEADWAY_PROMPT!');
  });
  it.each([
    'cmd /c agent {prompt}',
    'C:\\Windows\\System32\\cmd.exe /c "agent {prompt}"',
    'powershell -Command "agent {prompt}"',
    'pwsh.exe -c {prompt}',
    'wsl agent {prompt}',
    'bash -c "agent {prompt}"',
    'start "" agent {prompt}',
    'for %i in ({prompt}) do agent %i',
  ])('it is refused in `%s`', (line) => {
    expect(() => windowsCommandLine(line)).toThrow(/\{promptFile\}/);
  });
});
