import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Proof, proofLackSchema } from '../../../shared/gate-report.ts';
import { proofLack, withAccepted } from './proof-lack.ts';

const cell = (file: string, result: 'caught' | 'missed' | 'not-applicable'): Proof['cells'][number] => ({
  ...{ area: 'src', break: 'type', file, edit: 'x', result },
});
const PROOF: Proof = {
  ...{ path: '/r', repoId: 'r', commit: 'c', key: 'k', at: 1000, ms: 1, gateRuns: 1, reason: 'ok' },
  ...{ provable: true, restored: true, cells: [cell('src/a.ts', 'caught')] },
};
const lack = (proof: Proof | undefined, more: Partial<Parameters<typeof proofLack>[1]> = {}) =>
  proofLack(proof, { key: 'k', accept: [], nowMs: 2000, ...more });

describe('what a proof lacks', () => {
  it('is nothing where it is of this gate, not too old and without holes', () => {
    expect(lack(PROOF)).toBeUndefined();
    expect(lack(PROOF, { maxAgeMs: 1000 })).toBeUndefined();
  });

  it('is named', () => {
    expect(lack(undefined)).toEqual({ kind: 'missing' });
    expect(lack(PROOF, { key: 'other' })).toEqual({ kind: 'stale' });
    expect(lack(PROOF, { key: undefined })).toEqual({ kind: 'stale' });
    expect(lack(PROOF, { maxAgeMs: 999 })).toEqual({ kind: 'old', maxAgeMs: 999 });
    expect(lack(PROOF, { maxAgeMs: 5000, nowMs: 500 })).toEqual({ kind: 'old', maxAgeMs: 5000 });
    expect(lack({ ...PROOF, provable: false, reason: 'lint is red' })).toEqual({
      kind: 'unprovable',
      why: 'lint is red',
    });
    expect(lack({ ...PROOF, restored: false })).toMatchObject({ kind: 'unprovable' });
  });

  it('is holes, but not those that the policy accepts with a reason', () => {
    const holed = { ...PROOF, cells: [cell('src/a.ts', 'missed'), cell('tools/b.ts', 'missed')] };
    const accepted = (files?: string[]) => [
      { finding: 'unseen-break' as const, reason: 'known', ...(files ? { files } : {}) },
    ];
    expect(lack(holed)).toEqual({ kind: 'holes', breaks: 2 });
    expect(lack(holed, { accept: accepted(['tools']) })).toEqual({ kind: 'holes', breaks: 1 });
    expect(lack(holed, { accept: accepted() })).toBeUndefined();
    expect(lack(holed, { accept: [{ finding: 'tests-never-run', reason: 'other' }] })).toMatchObject({
      breaks: 2,
    });
  });

  it('shows the reason with each hole that is accepted', () => {
    const cells = [cell('src/a.ts', 'missed'), cell('tools/b.ts', 'missed'), cell('tools/c.ts', 'caught')];
    const accept = [{ finding: 'unseen-break' as const, reason: 'a helper', files: ['tools'] }];
    expect(withAccepted(cells, accept).map(({ accepted }) => accepted)).toEqual([
      undefined,
      'a helper',
      undefined,
    ]);
  });

  it('is never nothing for a proof that anything speaks against', () => {
    fc.assert(
      fc.property(
        fc.record({
          key: fc.constantFrom('k', 'other'),
          provable: fc.boolean(),
          restored: fc.boolean(),
          result: fc.constantFrom('caught' as const, 'missed' as const),
          ageMs: fc.integer({ min: -10, max: 20 }),
          maxAgeMs: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
        }),
        ({ key, provable, restored, result, ageMs, maxAgeMs }) => {
          const found = lack(
            { ...PROOF, key, provable, restored, cells: [cell('src/a.ts', result)] },
            { nowMs: PROOF.at + ageMs, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) },
          );
          const holds =
            key === 'k' &&
            provable &&
            restored &&
            result === 'caught' &&
            (maxAgeMs === undefined || (ageMs >= 0 && ageMs <= maxAgeMs));
          expect(found === undefined).toBe(holds);
          if (found) expect(proofLackSchema.parse(found)).toEqual(found);
        },
      ),
    );
  });
});
