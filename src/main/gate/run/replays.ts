/** Tasks that a task runner took from its cache instead of running them. */
export type Replays = { tool: string; replayed: number; total: number };

/** How each runner counts at its end: how many were replayed, and how many there were. */
const COUNTS: readonly (readonly [
  tool: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => [number, number],
])[] = [
  ['turbo', /^\s*Cached:\s+(\d+) cached, (\d+) total\s*$/gm, ([, some, all]) => [Number(some), Number(all)]],
  [
    'nx',
    /read the output from the cache instead of running the command for (\d+) out of (\d+) tasks/g,
    ([, some, all]) => [Number(some), Number(all)],
  ],
  [
    'moon',
    /^\s*Tasks: (\d+) completed(?: \((\d+) cached\))?/gm,
    ([, all, some = '0']) => [Number(some), Number(all)],
  ],
  [
    'wireit',
    /\bRan (\d+) scripts? and skipped (\d+)\b/g,
    ([, ran, skipped]) => [Number(skipped), Number(ran) + Number(skipped)],
  ],
];

/** Pure: what the output (without control codes) says was replayed, all runs of a runner together; undefined where nothing was. */
export function replaysIn(text: string): Replays | undefined {
  for (const [tool, pattern, read] of COUNTS) {
    const found = { tool, replayed: 0, total: 0 };
    for (const match of text.matchAll(pattern)) {
      const [replayed, total] = read(match);
      found.replayed += replayed;
      found.total += total;
    }
    if (found.replayed > 0) return found;
  }
  return undefined;
}

/** In words: `2 of 5 tasks were replayed from turbo's cache`. */
export function replayWords({ tool, replayed, total }: Replays): string {
  const all = replayed >= total;
  return `${all ? `all ${total}` : `${replayed} of ${total}`} tasks were replayed from ${tool}'s cache`;
}
