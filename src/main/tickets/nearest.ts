import { editDistance } from '../../shared/edit-distance.ts';

const plain = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The word that was probably meant; undefined where none is close. */
export function nearest(word: string, choices: Iterable<string>): string | undefined {
  const wanted = plain(word.slice(0, 80));
  let best: { choice: string; steps: number } | undefined;
  for (const choice of choices) {
    const candidate = plain(choice);
    const isPart = wanted.length >= 3 && (candidate.startsWith(wanted) || wanted.startsWith(candidate));
    const steps = isPart ? 1 : editDistance(wanted, candidate);
    if (steps <= Math.max(1, Math.floor(candidate.length / 3)) && (!best || steps < best.steps))
      best = { choice, steps };
  }
  return best?.choice;
}
