import { describe, expect, it } from 'vitest';
import { checkScript, parseScript } from './script.ts';

const ticket = (...steps: string[]): string =>
  ['# A ticket', '', '```headway', ...steps, '```', 'after'].join('\n');

describe('parseScript', () => {
  it('reads every kind of step with its line in the ticket', () => {
    const { steps, problems } = parseScript(
      ticket(
        '- print: hello',
        '- pause: 200ms',
        '- write: {path: src/a.ts, content: "x\\n"}',
        '- append:',
        '    path: src/a.ts',
        '    content: |',
        '      two',
        '- replace: {path: src/a.ts, find: x, with: ""}',
        '- delete: old.txt',
        '- run: npm test',
        '- commit: done',
        '- exit: 1',
        '- hang: true',
      ),
    );
    expect(problems).toEqual([]);
    expect(steps).toEqual([
      { line: 4, kind: 'print', text: 'hello' },
      { line: 5, kind: 'pause', pauseMs: 200 },
      { line: 6, kind: 'write', path: 'src/a.ts', content: 'x\n' },
      { line: 7, kind: 'append', path: 'src/a.ts', content: 'two\n' },
      { line: 11, kind: 'replace', path: 'src/a.ts', find: 'x', with: '' },
      { line: 12, kind: 'delete', path: 'old.txt' },
      { line: 13, kind: 'run', command: 'npm test' },
      { line: 14, kind: 'commit', message: 'done' },
      { line: 15, kind: 'exit', code: 1 },
      { line: 16, kind: 'hang' },
    ]);
  });

  it('reads a block with CRLF, an indent and tildes', () => {
    expect(parseScript('  ~~~ headway\r\n  - print: x\r\n  ~~~\r\n').steps).toEqual([
      { line: 2, kind: 'print', text: 'x' },
    ]);
  });

  it.each([
    ['no block', 'just text', 1, /needs a fenced block/],
    ['an open block', 'a\n```headway\n- print: x', 2, /not closed/],
    ['an empty block', '```headway\n```', 2, /must be a list/],
    ['no list', ticket('print: x'), 4, /must be a list/],
    ['an unknown step', ticket('- print: x', '- prnt: y'), 5, /'prnt' is no step; there are print/],
    ['a pause without unit', ticket('- pause: 200'), 4, /duration such as 200ms/],
    ['a missing field', ticket('- write: {path: a}'), 4, /content is missing/],
    ['an unknown field', ticket('- write: {path: a, content: b, mode: c}'), 4, /unknown key 'mode'/],
    ['a path outside', ticket('- write: {path: ../a, content: b}'), 4, /leaves the directory/],
    ['a path outside in the middle', ticket('- delete: a/../../b'), 4, /leaves the directory/],
    ['an absolute path', ticket('- delete: /etc/passwd'), 4, /is absolute/],
    ['a Windows path', ticket('- delete: C:\\x'), 4, /is absolute/],
    ['two steps in one', ticket('- print: a', '  run: b'), 4, /a step is one of/],
    ['broken YAML', ticket('- print: "a'), 4, /./],
  ])('tells the line of %s', (_name, text, line, message) => {
    const [problem] = checkScript(text);
    expect(problem?.message).toMatch(message);
    expect(problem?.line).toBe(line);
  });
});
