import { describe, expect, it } from 'vitest';
import { ignoresTracked } from './ignored-files.ts';

const TRACKED = ['src/a.ts', 'src/gen/b.ts', 'README.md'];
const ignores = (path: string, after: string, before = 'dist\n') =>
  ignoresTracked(path, before, after, TRACKED);

describe('a changed .gitignore', () => {
  it.each(['src/a.ts', 'a.ts', '/src', 'src/', '*.ts', '**/gen', 'src/[a].ts'])(
    'ignores what is tracked: %s',
    (line) => {
      expect(ignores('.gitignore', `dist\n${line}\n`)).toBe(true);
    },
  );

  it.each(['dist', '# src', '!src/a.ts', 'build/', '*.log', 'other/src/a.ts', ''])('does not: %s', (line) => {
    expect(ignores('.gitignore', `dist\n${line}\n`)).toBe(false);
  });

  it('counts from its own directory, and only for what is added', () => {
    expect(ignores('src/.gitignore', 'gen\n')).toBe(true);
    expect(ignores('docs/.gitignore', '*\n')).toBe(false);
    expect(ignores('.gitignore', 'src\n', 'src\n')).toBe(false);
    expect(ignoresTracked('.gitignore', 'src\n', undefined, TRACKED)).toBe(false);
  });
});
