import { expect, test } from 'vitest';
import { readValue } from './settings-command.ts';
import { wantsJson } from './usage.ts';

test('--json is seen wherever it stands, but not behind --', () => {
  expect(wantsJson(['--json', 'jobs'])).toBe(true);
  expect(wantsJson(['jobs', 'cancel', 'A', '--json'])).toBe(true);
  expect(wantsJson(['why', '--', '--json'])).toBe(false);
});

test('a setting is read as what it is: a number, a time, a size, a text', () => {
  expect(readValue('maxJobs', '8')).toBe(8);
  expect(readValue('maxJobs', 'many')).toBe('many');
  expect(readValue('agentTimeoutMs', '30m')).toBe(1_800_000);
  expect(readValue('slotDiskBytes', '40GB')).toBe(40 * 1024 ** 3);
  expect(readValue('copyOnSelect', 'true')).toBe(true);
  expect(readValue('editor', '7')).toBe('7');
  expect(readValue('maxJobsPerUser', 'none')).toBeNull();
});
