import { describe, expect, it } from 'vitest';
import { mergesBefore, type Straying } from './stray-order.ts';

const job = (order: number, path: string, strayed: string[] = []): Straying => ({
  id: `j${order}`,
  order,
  slotId: `s${order}`,
  claim: { kind: 'paths', paths: [path], from: 'declared' },
  strayed,
});
const waits = (one: Straying, running: Straying[]) => mergesBefore(one, running)?.id;

describe('mergesBefore', () => {
  it('lets the job that claimed the paths go first, however late it was submitted', () => {
    const owner = job(9, 'src/b');
    const stray = job(1, 'src/a', ['src/b/x.ts']);
    expect(waits(stray, [owner])).toBe('j9');
    expect(waits(owner, [stray])).toBeUndefined();
  });

  it('waits for nobody where the files outside belong to no running job', () => {
    expect(waits(job(1, 'src/a', ['README.md']), [job(2, 'src/b'), job(3, 'src/c')])).toBeUndefined();
  });

  it('lets the earliest of a ring go on, of two or of three, and only that one', () => {
    const a = job(1, 'a', ['b/1']);
    const b = job(2, 'b', ['a/1']);
    expect([waits(a, [b]), waits(b, [a])]).toEqual([undefined, 'j1']);
    const ring = [job(5, 'a', ['b/1']), job(3, 'b', ['c/1']), job(4, 'c', ['a/1'])];
    expect(ring.map((one) => waits(one, ring))).toEqual(['j3', undefined, 'j5']);
  });

  it('waits for a job outside the ring even as the first of it', () => {
    const a = job(1, 'a', ['b/1', 'd/1']);
    const b = job(2, 'b', ['a/1']);
    expect(waits(a, [b, job(3, 'd')])).toBe('j3');
  });

  it('lets somebody go on in every arrangement of four jobs', () => {
    const names = ['a', 'b', 'c', 'd'];
    for (let mask = 0; mask < 2 ** 16; mask += 7) {
      const jobs = names.map((name, row) =>
        job(
          row,
          name,
          names.flatMap((other, column) =>
            (mask >> (row * 4 + column)) & 1 && other !== name ? [`${other}/x`] : [],
          ),
        ),
      );
      expect(jobs.some((one) => waits(one, jobs) === undefined)).toBe(true);
    }
  });

  it('does not wait for a job that has no slot yet, and waits for one that touches everything', () => {
    const stray = job(1, 'a', ['b/1']);
    expect(waits(stray, [{ ...job(2, 'b'), slotId: undefined }])).toBeUndefined();
    expect(waits(stray, [{ ...job(2, 'b'), claim: { kind: 'everything', why: 'no paths' } }])).toBe('j2');
  });
});
