/** A unified patch of one file with the lines that differ, in one hunk with up to three lines around it. */
export function unifiedPatch(path: string, before: string, after: string): string {
  // The line end of the last line begins no line of its own.
  const old = before.replace(/\n$/, '').split('\n');
  const next = after.replace(/\n$/, '').split('\n');
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end))
    end += 1;
  const from = Math.max(0, start - 3);
  const tail = Math.max(0, end - 3);
  const head = old.slice(from, start);
  const foot = old.slice(old.length - end, old.length - tail);
  const removed = old.slice(start, old.length - end);
  const added = next.slice(start, next.length - end);
  const around = head.length + foot.length;
  return [
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${from + 1},${around + removed.length} +${from + 1},${around + added.length} @@`,
    ...head.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...foot.map((line) => ` ${line}`),
    '',
  ].join('\n');
}
