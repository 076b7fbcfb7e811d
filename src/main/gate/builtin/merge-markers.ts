import type { BuiltinResult, BuiltinTree, Problem } from './problems.ts';

/** Pure: conflict markers that a merge left behind. A line of `=======` alone is a heading in Markdown. */
export function checkMergeMarkers(tree: BuiltinTree): BuiltinResult {
  const problems: Problem[] = [];
  let count = 0;
  for (const path of tree.files) {
    const text = tree.read(path);
    if (text === undefined) continue;
    count += 1;
    if (!text.includes('<<<<<<< ') && !text.includes('>>>>>>> ')) continue;
    for (const [index, line] of text.split('\n').entries()) {
      if (/^(<{7}|>{7}) \S/.test(line))
        problems.push({ path, line: index + 1, message: `merge marker: ${line.slice(0, 40)}` });
    }
  }
  return { problems, looked: `${count} files`, count };
}
