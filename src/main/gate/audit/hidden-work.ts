import type { GateResult } from '../../../shared/domain.ts';
import { gateThread } from '../thread/gate-thread.ts';
import { blocking } from './accept.ts';
import type { auditCommit } from './audit.ts';

/**
 * A gate whose steps are all green, but which by its audit does not look at part of the work, proved nothing about it:
 * the verdict is then vacuous and names the findings. Any other result is returned as it is. Error `cancelled` when the signal aborts.
 */
export async function withHiddenWork(
  result: GateResult,
  { signal, ...options }: Parameters<typeof auditCommit>[0],
): Promise<GateResult> {
  if (result.verdict !== 'green') return result;
  const { findings } = await gateThread.ask('audit', options, { signal });
  const open = blocking(findings);
  const [first] = open;
  if (!first) return result;
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : '';
  return {
    ...result,
    verdict: 'vacuous',
    reason: `audit: ${first.kind}: ${first.title}${more}; mend it, or accept it in the policy with a reason`,
  };
}
