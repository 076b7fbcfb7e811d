import { copyFile } from 'node:fs/promises';
import { gitList } from '../../git/git.ts';
import { gitPaths, inside } from '../../git/inside.ts';

/**
 * Remembers the tree that a gate is about to judge. The answer tells, after the gate, which tracked files differ now: a
 * step that writes (a formatter, a snapshot, a lockfile) makes the steps after it judge something that will not land.
 * Nothing that a step does to the index or its bits hides a file, because a copy is compared.
 */
export async function rememberTree(cwd: string): Promise<() => Promise<string[]>> {
  const [index = ''] = await gitPaths(cwd, ['index']);
  const copy = `${index}.judged`;
  await copyFile(index, copy);
  return async () => {
    const fields = await gitList(
      [
        ...['-c', 'core.trustctime=true', '-c', 'core.checkStat=default', '-c', 'core.ignoreStat=false'],
        ...[
          'status',
          '--porcelain=v1',
          '-z',
          '--untracked-files=no',
          '--no-renames',
          '--ignore-submodules=dirty',
        ],
      ],
      inside(cwd, { GIT_INDEX_FILE: copy }),
    );
    return fields.map((field) => field.slice(3));
  };
}
