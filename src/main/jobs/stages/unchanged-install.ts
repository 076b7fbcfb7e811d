import type { GateResult, GateStep } from '../../../shared/domain.ts';
import { declaredPaths } from '../../paths/globs.ts';
import type { ClaimedSlot } from '../../slots/pool/claimed-slot.ts';

/**
 * A green verdict only where the installed packages are, to the last file, those that were installed: a step that changes a checker decides what the
 * steps after it say, also where it puts it back.
 */
export async function unchangedInstall(
  result: GateResult,
  { gate, generated }: { gate: readonly GateStep[]; generated: readonly string[] },
  slot: Pick<ClaimedSlot, 'installedChange'>,
): Promise<GateResult> {
  if (result.verdict !== 'green' || result.steps.every(({ reused }) => reused)) return result;
  const written = gate.flatMap(({ writes = [], caches = [] }) => [...writes, ...caches]);
  const why = await slot.installedChange(declaredPaths([...written, ...generated]));
  if (why === undefined) return result;
  return {
    ...result,
    verdict: 'vacuous',
    reason: `while the gate ran, an installed package changed: ${why}; a step that is to write there names it under "writes"`,
  };
}
