import { describe, expect, it } from 'vitest';
import { covers, exclusionProblem, isPlaceholder } from './windows-exclusions.ts';

describe('covers', () => {
  it.each([
    ['D:\\slots', 'D:\\slots', 'yes'],
    ['d:\\SLOTS\\', 'D:\\slots\\a', 'yes'],
    ['D:', 'D:\\slots', 'yes'],
    ['D:\\', 'D:\\slots', 'yes'],
    ['D:/slots', 'D:\\slots', 'yes'],
    ['D:\\slots', '\\\\?\\D:\\slots', 'yes'],
    ['%ProgramData%\\hw', 'C:\\ProgramData\\hw\\slots', 'yes'],
    ['C:\\Users\\*\\hw', 'C:\\Users\\ada\\hw\\slots', 'yes'],
    ['C:\\Users\\*\\', 'C:\\Users\\ada\\hw', 'yes'],
    ['D:\\s?ots', 'D:\\slots\\a', 'unknown'],
    ['D:\\slots\\*', 'D:\\slots\\a', 'unknown'],
    ['D:\\*\\*\\*\\*\\*\\*\\*\\', 'D:\\a\\b\\c\\d\\e\\f\\g', 'unknown'],
    ['D:\\slots', 'D:\\slots.worktrees', 'no'],
    ['D:\\slots\\a', 'D:\\slots', 'no'],
    ['C:\\Users\\*\\hw', 'C:\\Users\\ada\\x\\hw', 'no'],
    ['%USERPROFILE%\\hw', 'C:\\Users\\ada\\hw', 'no'],
    ['$env:LOCALAPPDATA\\hw', 'C:\\Users\\ada\\AppData\\Local\\hw', 'no'],
    ['D:\\slots\\:{Process:"C:\\x\\y.exe"}', 'D:\\slots', 'no'],
    ['', 'D:\\slots', 'no'],
  ])('%s over %s: %s', (entry, path, expected) => {
    expect(covers(entry, path)).toBe(expected);
  });
});

it('tells sentences from paths by their shape', () => {
  expect(['N/A: …', 'Sie müssen Administrator sein', ''].map(isPlaceholder)).toEqual([true, true, true]);
  expect(['D:', 'C:\\x', '%TEMP%', '\\\\server\\share', '/x'].some(isPlaceholder)).toBe(false);
});

describe('exclusionProblem', () => {
  it.each([
    'D:\\',
    'D:',
    'C:\\Users',
    'C:\\Users\\ada',
    'C:\\Windows\\Temp',
    'C:\\Program Files (x86)\\x',
    'C:\\ProgramData',
    '\\\\server\\share\\x',
    'slots',
    'D:\\a*b',
    '%TEMP%\\x',
  ])('never excludes %s', (path) => {
    expect(exclusionProblem(path)).toBeTypeOf('string');
  });

  it.each(['D:\\hw\\slots', 'C:\\Users\\ada\\AppData\\Local\\headway\\slots', 'D:\\slots'])(
    'may exclude %s',
    (path) => {
      expect(exclusionProblem(path)).toBeUndefined();
    },
  );
});
