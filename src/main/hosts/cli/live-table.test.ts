import { expect, test } from 'vitest';
import type { Job } from '../../../shared/domain.ts';
import { tableLines } from './live-table.ts';

const job = (id: string, state: Job['state']): Job =>
  ({ id, ticket: { id }, state, queuedAt: 0, startedAt: 0, strayed: [] }) as unknown as Job;
const jobs = [
  ...Array.from({ length: 20 }, (_, index) => job(`M${index}`, 'merged')),
  job('H', 'held'),
  ...Array.from({ length: 4 }, (_, index) => job(`R${index}`, 'running')),
  ...Array.from({ length: 15 }, (_, index) => job(`Q${index}`, 'queued')),
];

test('a table that fits keeps the order of the tickets and counts them', () => {
  const lines = tableLines(jobs, 100, 0);
  expect(lines).toHaveLength(41);
  expect(lines[0]).toMatch(/^M0 +merged$/);
  expect(lines.at(-1)).toBe('4 running, 1 held, 15 queued, 20 merged');
});

test('one that does not shows what runs and what needs a person, and says what it leaves out', () => {
  const lines = tableLines(jobs, 23, 0);
  expect(lines).toHaveLength(23);
  expect(lines.slice(0, 5).map((line) => line.slice(0, 2).trim())).toEqual(['R0', 'R1', 'R2', 'R3', 'H']);
  expect(lines.at(-1)).toBe('4 running, 1 held, 15 queued, 20 merged; 18 not shown');
  for (const height of [1, 2, 3]) expect(tableLines(jobs, height, 0).length).toBeLessThanOrEqual(height);
  expect(tableLines([], 23, 0)).toEqual([]);
});
