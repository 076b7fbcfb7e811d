import { HeadwayError } from '../../../shared/errors.ts';
import type { Proof } from '../../../shared/gate-report.ts';
import { placeAt } from '../../paths/layout.ts';
import type { Environment } from '../../processes/environment.ts';
import { createStepCaches } from '../../slots/tree/step-caches.ts';
import { readCommitTree } from '../audit/commit-tree.ts';
import { collectFacts } from '../audit/facts.ts';
import { auditFindings } from '../audit/findings.ts';
import { withListings } from '../audit/listing.ts';
import { importReach } from '../audit/typecheck-facts.ts';
import { loadTypescript } from '../audit/typescript.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';
import type { ReusePlan } from '../reuse/plan-reuse.ts';
import { proveGate } from './prove.ts';

/**
 * Proves the gate of a commit that stands at `cwd` with its dependencies installed. Every file is put back; the caller proves that.
 * Error `cancelled` when the signal aborts.
 */
export async function proveCommit(options: {
  /** Repository or mirror that holds the commit. */
  objects: string;
  commit: string;
  /** The user's clone: installed packages that configurations extend are read there. */
  clone: string;
  policy: ResolvedPolicy;
  slotRoot: string;
  cwd: string;
  /** The whole environment of gate steps. */
  env: Environment;
  /** What kept caches of steps are good for; no result is taken over. */
  reuse: ReusePlan;
  /** Areas or files to prove; default: all. */
  only?: string;
  signal: AbortSignal;
  onProgress?: (text: string) => void;
}): Promise<Pick<Proof, 'gateRuns' | 'provable' | 'reason' | 'cells' | 'ms'>> {
  const { objects, commit, clone, policy, slotRoot, cwd, env, signal } = options;
  const [ts, tree] = await Promise.all([loadTypescript(), readCommitTree(objects, commit, clone)]);
  const place = { cwd, env, signal };
  const facts = await withListings(collectFacts(ts, tree, policy, { slotRoot }), place);
  if (signal.aborted) throw new HeadwayError('cancelled', 'the proof was cancelled');
  const tests = [...new Set(facts.gate.tests.flatMap((fact) => [...fact.collected]))];
  return proveGate({
    ...place,
    ts,
    facts,
    findings: auditFindings(facts),
    reach: importReach(ts, tree, tests),
    commit,
    reuse: { ...options.reuse, results: new Map() },
    stepCaches: createStepCaches(placeAt(cwd)),
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
}
