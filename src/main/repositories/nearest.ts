/** Edit distance between two names (insert, delete, replace, each costs one). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The names that a person most likely meant, best first; empty where none is near. */
export function nearestNames(wanted: string, names: readonly string[], limit = 3): string[] {
  const low = wanted.toLowerCase();
  return names
    .map((name) => {
      const other = name.toLowerCase();
      const contains = low.length >= 3 && (other.includes(low) || low.includes(other));
      return { name, cost: contains ? 1 : distance(low.slice(0, 100), other.slice(0, 100)) };
    })
    .filter(({ name, cost }) => cost <= Math.max(2, Math.floor(Math.max(wanted.length, name.length) / 3)))
    .sort((a, b) => a.cost - b.cost || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}
