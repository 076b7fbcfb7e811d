import { gitList } from './git.ts';

/** One path that differs between two commits. A rename is two entries: the old name deleted, the new one added. */
export type ChangedFile = {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  kind: 'file' | 'link' | 'submodule';
  /** The content stayed, only the mode (such as executable) or type differs. */
  modeChanged: boolean;
  movedTo?: string;
  movedFrom?: string;
};

const kindOf = (mode: string): ChangedFile['kind'] =>
  mode === '160000' ? 'submodule' : mode === '120000' ? 'link' : 'file';

/** Reads `git diff-tree -r -z -M --raw`. */
export function parseRawDiff(fields: readonly string[]): ChangedFile[] {
  const files: ChangedFile[] = [];
  let index = 0;
  while (index < fields.length) {
    const header = fields[index] ?? '';
    const match = /^:(\d{6}) (\d{6}) \S+ \S+ ([A-Z])\d*$/.exec(header);
    const path = fields[index + 1];
    if (!match || path === undefined) throw new Error(`git diff-tree printed an unknown line: ${header}`);
    const [, oldMode = '', newMode = '', status] = match;
    if (status === 'R' || status === 'C') {
      const to = fields[index + 2];
      if (to === undefined) throw new Error(`git diff-tree named no target: ${header}`);
      const modeChanged = oldMode !== newMode;
      if (status === 'R') {
        files.push({ path, change: 'deleted', kind: kindOf(oldMode), modeChanged: false, movedTo: to });
      }
      files.push({ path: to, change: 'added', kind: kindOf(newMode), modeChanged, movedFrom: path });
      index += 3;
      continue;
    }
    const change = status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'modified';
    files.push({
      path,
      change,
      kind: kindOf(status === 'D' ? oldMode : newMode),
      modeChanged: change === 'modified' && oldMode !== newMode,
    });
    index += 2;
  }
  return files;
}

/**
 * What differs between two commits, by path: renames under both names, deletions, mode changes, links, submodules and
 * binary files alike.
 */
export async function changedFiles(options: {
  cwd: string;
  base: string;
  head: string;
}): Promise<ChangedFile[]> {
  return parseRawDiff(
    await gitList(
      ['diff-tree', '-r', '-z', '-M', '--raw', '--ignore-submodules=none', options.base, options.head],
      { cwd: options.cwd },
    ),
  );
}
