import { HeadwayError } from '../../../shared/errors.ts';
import type { Audit } from '../../../shared/gate-report.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';
import { withAcceptances } from './accept.ts';
import { auditAreas } from './areas.ts';
import { readCommitTree } from './commit-tree.ts';
import { collectFacts } from './facts.ts';
import { auditFindings } from './findings.ts';
import { gateReads } from './gate-reads.ts';
import { type ListingPlace, withListings } from './listing.ts';
import { speedProposals } from './speed.ts';
import { loadTypescript } from './typescript.ts';

/**
 * What the gate of a commit reads, what it leaves out and why that matters. Nothing of the repository is executed,
 * but for runners that `listIn` lets be asked. Error `cancelled` when the signal aborts. It keeps its thread busy: see `gateThread`.
 */
export async function auditCommit(options: {
  /** Repository or mirror that holds the commit. */
  cwd: string;
  commit: string;
  /** The user's clone: installed packages that configurations extend are read there. */
  clone: string;
  policy: ResolvedPolicy;
  /** Directory below which slots of this repository lie. */
  slotRoot: string;
  /** Where runners may be asked what they run, if their configuration can't be read; default: nowhere. */
  listIn?: ListingPlace;
  signal?: AbortSignal;
}): Promise<Pick<Audit, 'gateSource' | 'steps' | 'findings' | 'areas' | 'proposals'>> {
  const { policy, signal } = options;
  const checkSignal = (): void => {
    if (signal?.aborted) throw new HeadwayError('cancelled', 'the audit was cancelled');
  };
  const [ts, tree] = await Promise.all([
    loadTypescript(),
    readCommitTree(options.cwd, options.commit, options.clone),
  ]);
  checkSignal();
  const read = collectFacts(ts, tree, policy, options);
  const facts = options.listIn ? await withListings(read, { ...options.listIn, signal }) : read;
  checkSignal();
  return {
    gateSource: policy.source,
    steps: policy.gate.map(({ name, command }) => ({ name, command })),
    findings: withAcceptances(auditFindings(facts), policy.accept),
    areas: auditAreas(
      tree.files,
      facts.packages.map(({ dir }) => dir),
      gateReads(facts.gate),
    ),
    proposals: speedProposals(facts),
  };
}
