/** A row of the list: its key names its group too, so that a job that moves to another group is another row. */
export type PlacedRow = { key: string; start: number; size: number };

/**
 * Where the list has to be scrolled so that what is read stays under the pointer when rows above it come or go: the
 * first visible row that is still there keeps its place. At its top the list stays at its top.
 */
export function anchoredTop(before: readonly PlacedRow[], after: readonly PlacedRow[], top: number): number {
  if (top <= 0) return top;
  const starts = new Map(after.map((row) => [row.key, row.start]));
  for (const row of before) {
    if (row.start + row.size <= top) continue;
    const start = starts.get(row.key);
    if (start !== undefined) return Math.max(0, top + start - row.start);
  }
  return top;
}
