import { HeadwayError, toPlainError } from '../../../shared/errors.ts';
import { BREAK_KINDS, type Proof, type ProofCell } from '../../../shared/gate-report.ts';
import { formatDuration } from '../../../shared/time.ts';
import { gateProve, restoredWords } from '../../gate-runs/gate-prove.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

export type GateProveOptions = { repo: string; area?: string; base?: string; trust?: boolean };

/** `headway gate prove`: 0 every break was caught or is accepted, 1 some stay unseen or nothing could be proved, 2 bad usage, 130 ended by Ctrl-C. */
export function gateProveCommand(
  options: GateProveOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  return looking(async ({ parts }) => {
    const repository = await parts.repositories.add(options.repo, options.base);
    let proof: Proof;
    try {
      proof = await gateProve(parts.jobPorts, {
        repository,
        signal,
        ...(options.area === undefined ? {} : { area: options.area }),
        ...(options.trust ? { trust: true } : {}),
        onProgress: (text) => output.say(`… ${text}`),
      });
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      const { message } = toPlainError(thrown);
      output.data({ type: 'error', code: 'cancelled', message });
      output.say(message);
      return EXIT.interrupted;
    }
    output.data({ type: 'proof', ...proof });
    for (const line of proofLines(proof)) output.say(line);
    if (!proof.restored) throw new HeadwayError('internal', restoredWords(false));
    const open = proof.cells.filter(({ result, accepted }) => result === 'missed' && accepted === undefined);
    return proof.provable && open.length === 0 ? EXIT.ok : EXIT.notDone;
  });
}

function cellText(cell: ProofCell | undefined): string {
  if (!cell || cell.result === 'not-applicable') return '-';
  if (cell.result === 'missed') return cell.accepted === undefined ? 'MISSED' : 'missed (accepted)';
  return `${cell.step} ${formatDuration(cell.ms ?? 0)}`;
}

function proofLines(proof: Proof): string[] {
  const areas = [...new Set(proof.cells.map(({ area }) => area))];
  const rows = areas.map((area) => [
    area,
    ...BREAK_KINDS.map((kind) =>
      cellText(proof.cells.find((cell) => cell.area === area && cell.break === kind)),
    ),
  ]);
  const missed = proof.cells.filter(({ result }) => result === 'missed');
  return [
    '',
    table([['area', ...BREAK_KINDS], ...rows]),
    ...missed.flatMap((cell) => [
      '',
      `MISSED ${cell.break} in ${cell.area}: ${cell.file}`,
      `  ${cell.edit}`,
      `  likely cause: ${cell.why ?? 'unknown'}`,
      ...(cell.accepted === undefined ? [] : [`  accepted: ${cell.accepted}`]),
    ]),
    '',
    `${proof.reason} (${proof.gateRuns} gate runs, ${formatDuration(proof.ms)}; ${restoredWords(proof.restored)})`,
  ];
}
