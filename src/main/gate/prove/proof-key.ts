import { createHash } from 'node:crypto';
import type { GateStep } from '../../../shared/domain.ts';

/** What a proof holds for: the gate's commands, the files that define it, and what is installed. */
export const proofKey = (of: {
  gate: readonly GateStep[];
  policyHash: string;
  /** See `gateDefinition`. */
  definition: string;
  installedKey: string | undefined;
}): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        of.gate.map(({ name, command }) => [name, command]),
        of.policyHash,
        of.definition,
        of.installedKey ?? '',
      ]),
    )
    .digest('hex')
    .slice(0, 32);
