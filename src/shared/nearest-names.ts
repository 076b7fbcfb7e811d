import { editDistance } from './edit-distance.ts';

/** Of a longer word as much as tells it apart: the cost of a comparison grows with both lengths. */
const COMPARED_LENGTH = 100;
/** A shorter part stands in too many names by chance. */
const SHORTEST_PART = 3;

/** `dependsOn`, `depends-on` and `depends_on` are one word to who types them. */
const plain = (word: string): string =>
  word
    .slice(0, COMPARED_LENGTH)
    .toLowerCase()
    .replace(/[\s_./-]/g, '');

/** Pure: the names that a person most likely meant, best first and `limit` at most; empty where none is near. */
export function nearestNames(wanted: string, names: Iterable<string>, limit = 3): string[] {
  const low = plain(wanted);
  return Array.from(names, (name) => {
    const other = plain(name);
    const [short, long] = low.length < other.length ? [low, other] : [other, low];
    const isPart = short.length >= SHORTEST_PART && long !== short && long.includes(short);
    return {
      name,
      cost: isPart ? 1 : editDistance(low, other),
      most: Math.max(2, Math.floor(long.length / 3)),
    };
  })
    .filter(({ cost, most }) => cost <= most)
    .sort((a, b) => a.cost - b.cost || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}
