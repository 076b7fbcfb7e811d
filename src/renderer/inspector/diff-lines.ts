export type DiffLine = { kind: 'file' | 'meta' | 'hunk' | 'added' | 'removed' | 'same'; text: string };
export type DiffFile = { path: string; added: number; removed: number };

/** No line of a hunk begins like these; what was cut in the middle ends there. */
const HEADER = /^(diff --git |@@ )/;
const META =
  /^(index |old mode|new mode|new file|deleted file|similarity |rename |copy |Binary files|GIT binary)/;

/**
 * A unified diff of git as lines with their kind. Inside a hunk its own counts decide, so a removed line that looks
 * like a file header (`-- a/x`) stays a removed line.
 */
export function parseDiff(diff: string): { lines: readonly DiffLine[]; files: readonly DiffFile[] } {
  const lines: DiffLine[] = [];
  const files: DiffFile[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const file = files.at(-1);
    if (HEADER.test(text)) {
      oldLeft = 0;
      newLeft = 0;
    }
    if (oldLeft > 0 || newLeft > 0) {
      const kind = hunkKind(text);
      if (kind !== 'meta') {
        if (kind !== 'added') oldLeft -= 1;
        if (kind !== 'removed') newLeft -= 1;
      }
      if (file && kind === 'added') file.added += 1;
      if (file && kind === 'removed') file.removed += 1;
      lines.push({ kind, text });
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(text);
    if (hunk) {
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[2] ?? 1);
      lines.push({ kind: 'hunk', text });
    } else if (text.startsWith('diff --git ')) {
      const path = pathOf(text);
      files.push({ path, added: 0, removed: 0 });
      lines.push({ kind: 'file', text: path });
    } else if (text.startsWith('--- ') || text.startsWith('+++ ')) {
      // The file line says it already.
    } else if (text !== '' || META.test(text)) {
      lines.push({ kind: 'meta', text });
    }
  }
  return { lines, files };
}

function hunkKind(text: string): DiffLine['kind'] {
  if (text.startsWith('+')) return 'added';
  if (text.startsWith('-')) return 'removed';
  return text.startsWith('\\') ? 'meta' : 'same';
}

/** `diff --git a/x b/x`: the name stands twice, so its half is unambiguous also with spaces; a rename shows its new name. */
function pathOf(header: string): string {
  const rest = header.slice('diff --git '.length);
  const half = (rest.length - 1) / 2;
  const left = rest.slice(0, half);
  const right = rest.slice(half + 1);
  if (Number.isInteger(half) && left.slice(2) === right.slice(2)) return left.slice(2);
  return rest.slice(rest.lastIndexOf(' b/') + 3);
}
