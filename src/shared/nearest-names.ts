import { editDistance } from '../../shared/edit-distance.ts';

/** The names that a person most likely meant, best first; empty where none is near. */
export function nearestNames(wanted: string, names: readonly string[], limit = 3): string[] {
  const low = wanted.toLowerCase();
  return names
    .map((name) => {
      const other = name.toLowerCase();
      const contains = low.length >= 3 && (other.includes(low) || low.includes(other));
      return { name, cost: contains ? 1 : editDistance(low.slice(0, 100), other.slice(0, 100)) };
    })
    .filter(({ name, cost }) => cost <= Math.max(2, Math.floor(Math.max(wanted.length, name.length) / 3)))
    .sort((a, b) => a.cost - b.cost || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}
