/** Steps (insert, drop, replace a letter) from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
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

const plain = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The word that was probably meant; undefined where none is close. */
export function nearest(word: string, choices: Iterable<string>): string | undefined {
  const wanted = plain(word.slice(0, 80));
  let best: { choice: string; steps: number } | undefined;
  for (const choice of choices) {
    const candidate = plain(choice);
    const isPart = wanted.length >= 3 && (candidate.startsWith(wanted) || wanted.startsWith(candidate));
    const steps = isPart ? 1 : distance(wanted, candidate);
    if (steps <= Math.max(1, Math.floor(candidate.length / 3)) && (!best || steps < best.steps))
      best = { choice, steps };
  }
  return best?.choice;
}
