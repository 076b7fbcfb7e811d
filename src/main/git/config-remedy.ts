import { join } from 'node:path';

const quoted = (text: string): string =>
  /^[\w./+@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** From a place where git needs no repository: in this one it refuses to run at all. */
const inFile = (file: string, change: string): string => `git -C / config --file ${quoted(file)} ${change}`;

/**
 * What mends a repository whose own configuration keeps git from working in it, by git's words; undefined: it is nothing of
 * that kind. `cwd` is where git was called.
 */
export function configRemedy(stderr: string, cwd: string): string | undefined {
  const own = join(cwd, '.git', 'config');
  const absolute = (file: string): string => (file.startsWith('/') ? file : join(cwd, file));
  const line = /bad config line (\d+) in file (.+)/.exec(stderr);
  if (line?.[2])
    return `line ${line[1]} of ${absolute(line[2])} is no setting: mend or remove it with an editor`;
  const value = /bad (?:\w+) config value '.*' for '([^']+)'(?: in file ([^\n:]+))?/.exec(stderr);
  if (value?.[1]) return `mend it: ${inFile(absolute(value[2] ?? own), `--unset-all ${quoted(value[1])}`)}`;
  const extension = /unknown repository extensions? found:\s*(\S+)/.exec(stderr)?.[1];
  if (extension)
    return `if you did not set it, mend it: ${inFile(own, `--unset-all extensions.${extension}`)}`;
  const version = /Expected git repo version <= \d+, found (\d+)/.exec(stderr)?.[1];
  if (version)
    return `if you did not set it, mend it: ${inFile(own, '--replace-all core.repositoryformatversion 0')}`;
  if (/must be run in a work tree|core\.bare and core\.worktree do not make sense/.test(stderr))
    return `if it is no bare repository, mend it: ${inFile(own, '--replace-all core.bare false')}`;
  if (/Invalid path '|cannot chdir to '/.test(stderr))
    return `if core.worktree is set there, remove it: ${inFile(own, '--unset-all core.worktree')}`;
  return undefined;
}
