import { BREAK_KINDS, type BreakKind, type ProofCell } from '../../shared/gate-report.ts';

export type ProofMatrix = {
  /** Kinds of break that were thought of at all, in their fixed order. */
  breaks: readonly BreakKind[];
  rows: readonly { area: string; cells: ReadonlyMap<BreakKind, readonly ProofCell[]> }[];
};

/** Pure: areas in the proof's order against the kinds of break. */
export function proofMatrix(cells: readonly ProofCell[]): ProofMatrix {
  const areas = new Map<string, Map<BreakKind, ProofCell[]>>();
  for (const cell of cells) {
    const row = areas.get(cell.area) ?? new Map<BreakKind, ProofCell[]>();
    areas.set(cell.area, row.set(cell.break, [...(row.get(cell.break) ?? []), cell]));
  }
  return {
    breaks: BREAK_KINDS.filter((kind) => cells.some((cell) => cell.break === kind)),
    rows: [...areas].map(([area, row]) => ({ area, cells: row })),
  };
}

/** Pure: what a row is asked for by: its tests and notes are proved with it. */
export const areaAlone = (row: string): string => row.replace(/ \((tests|notes)\)$/, '');

/** Pure: the proof in one line. What does not apply counts nowhere. */
export function proofSummary(cells: readonly ProofCell[]): string {
  const caught = cells.filter(({ result }) => result === 'caught').length;
  const missed = cells.filter(({ result }) => result === 'missed').length;
  if (caught + missed === 0) return 'no break could be tried';
  return missed === 0
    ? `${caught} of ${caught} breaks caught`
    : `${caught} of ${caught + missed} breaks caught, ${missed} missed`;
}
