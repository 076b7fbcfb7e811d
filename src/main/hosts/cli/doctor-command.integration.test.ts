import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DoctorReport } from '../../../shared/doctor.ts';
import { reportText } from './doctor-command.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

it('examines the place of the slots without an engine, and says by its exit code what it found', async () => {
  const repo = place.repository('repo', { 'a.txt': 'a\n' });
  const { exit, lines } = await place.run('slots', 'doctor', '--repo', repo);
  const report = lines[0] as unknown as DoctorReport & { type: string };
  expect(lines).toHaveLength(1);
  expect(report.type).toBe('doctor');
  expect(exit).toBe(report.findings.some(({ status }) => status === 'problem') ? 1 : 0);
});

it.each([
  [['--fix', 'nonsense'], 'bad-input'],
  [['--repo', 'nowhere'], 'bad-input'],
])('refuses %s', async (args, code) => {
  const { exit, error } = await place.run('slots', 'doctor', ...args);
  expect([exit, error?.code]).toEqual([2, code]);
});

it('shows a person each finding, and what to do about those that are not well', () => {
  const text = reportText({
    root: '/slots',
    platform: 'linux',
    at: 0,
    findings: [
      { id: 'space', title: 'Free space', status: 'ok', found: '9.0 GB free' },
      {
        id: 'inotify-instances',
        title: 'Programs that can watch',
        status: 'problem',
        found: '128',
        cost: 'Much.',
        remedy: 'Raise it.',
        fix: { command: 'sudo sysctl -w x=1', elevated: true, startable: false },
      },
    ],
    fixed: { id: 'inotify-instances', done: false, text: 'it needs an administrator' },
  });
  expect(text.split('\n')).toEqual([
    'Slots are in /slots',
    'inotify-instances: not fixed: it needs an administrator',
    '',
    'ok       space              Free space               9.0 GB free',
    'PROBLEM  inotify-instances  Programs that can watch  128',
    '',
    'inotify-instances: 128',
    '  costs  Much.',
    '  do     Raise it.',
    '  run    sudo sysctl -w x=1   (needs an administrator)',
  ]);
});
