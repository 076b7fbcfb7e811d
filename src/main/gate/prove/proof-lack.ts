import { type Proof, type ProofCell, type ProofLack, UNSEEN_BREAK } from '../../../shared/gate-report.ts';
import { matchesAny } from '../../paths/globs.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';

type Accept = ResolvedPolicy['accept'];

/** Pure: the reason under which the policy accepts that a break in this file stays unseen. */
const acceptedAs = (file: string, accept: Accept): string | undefined =>
  accept.find(
    ({ finding, files }) => finding === UNSEEN_BREAK && (files === undefined || matchesAny(file, files)),
  )?.reason;

/** Pure: breaks that no step noticed and that the policy does not accept. */
const unseenBreaks = (proof: Proof, accept: Accept): number =>
  proof.cells.filter(({ result, file }) => result === 'missed' && acceptedAs(file, accept) === undefined)
    .length;

/** Pure: marks the misses that the policy accepts. */
export const withAccepted = (cells: readonly ProofCell[], accept: Accept): ProofCell[] =>
  cells.map((cell) => {
    const accepted = cell.result === 'missed' ? acceptedAs(cell.file, accept) : undefined;
    return accepted === undefined ? cell : { ...cell, accepted };
  });

/**
 * Pure: what a proof lacks for a policy that wants one before it merges by itself; undefined: nothing. `key` is that of the gate
 * as it is now, undefined where it can't be told.
 */
export function proofLack(
  proof: Proof | undefined,
  wanted: { key: string | undefined; maxAgeMs?: number; accept: Accept; nowMs: number },
): ProofLack | undefined {
  if (!proof) return { kind: 'missing' };
  if (proof.key !== wanted.key) return { kind: 'stale' };
  if (!proof.provable) return { kind: 'unprovable', why: proof.reason };
  if (!proof.restored) return { kind: 'unprovable', why: 'its tree was not as before afterwards' };
  const breaks = unseenBreaks(proof, wanted.accept);
  if (breaks > 0) return { kind: 'holes', breaks };
  // One of the future says as little as an old one: somebody moved the clock.
  const ageMs = wanted.nowMs - proof.at;
  const { maxAgeMs } = wanted;
  return maxAgeMs !== undefined && (ageMs < 0 || ageMs > maxAgeMs) ? { kind: 'old', maxAgeMs } : undefined;
}
