/** How one order of ids becomes the next one: what left, and what is new or moved, each run behind an id that stays. */
export type OrderChange = {
  left: string[];
  /** Without `after`: at the front. */
  placed: { after?: string | undefined; ids: string[] }[];
};

/** Pure: as few ids as make `after` of `before`; undefined where they are the same. No id stands twice in either. */
export function orderChange(before: readonly string[], after: readonly string[]): OrderChange | undefined {
  if (before.length === after.length && after.every((id, index) => id === before[index])) return undefined;
  const place = new Map(before.map((id, index) => [id, index]));
  const now = new Set(after);
  const staying = longestRising(after, (id) => place.get(id));
  const placed: OrderChange['placed'] = [];
  let previous: string | undefined;
  let run: string[] | undefined;
  for (const id of after) {
    if (staying.has(id)) {
      previous = id;
      run = undefined;
      continue;
    }
    if (!run) {
      run = [];
      placed.push({ ...(previous === undefined ? {} : { after: previous }), ids: run });
    }
    run.push(id);
  }
  return { left: before.filter((id) => !now.has(id)), placed };
}

/** Pure: the order that the change makes of the one that it was told for. */
export function changeOrder(order: readonly string[], { left, placed }: OrderChange): string[] {
  const gone = new Set(left);
  const behind = new Map<string | undefined, readonly string[]>();
  for (const { after, ids } of placed) {
    for (const id of ids) gone.add(id);
    behind.set(after, ids);
  }
  const next = [...(behind.get(undefined) ?? [])];
  for (const id of order) {
    if (gone.has(id)) continue;
    next.push(id);
    const run = behind.get(id);
    if (run) for (const placedId of run) next.push(placedId);
  }
  return next;
}

/** The most ids whose places rise from each to the next; those without a place are none of them. */
function longestRising(
  ids: readonly string[],
  placeOf: (id: string) => number | undefined,
): ReadonlySet<string> {
  type Link = { id: string; place: number; before: Link | undefined };
  /** By length: the end of a rising row of that length with the lowest place. */
  const ends: Link[] = [];
  for (const id of ids) {
    const place = placeOf(id);
    if (place === undefined) continue;
    let low = 0;
    let high = ends.length;
    // Most orders stay as they are, so the search begins at the end.
    if ((ends.at(-1)?.place ?? -1) < place) low = high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as Link).place < place) low = middle + 1;
      else high = middle;
    }
    ends[low] = { id, place, before: ends[low - 1] };
  }
  const rising = new Set<string>();
  for (let link = ends.at(-1); link; link = link.before) rising.add(link.id);
  return rising;
}
