import { dirname, join } from 'node:path';
import type { Environment } from '../processes/environment.ts';
import type { Identity } from './commit-message.ts';
import { git } from './git.ts';
import { namedDirectory } from './named-directory.ts';

/** Git options for a work tree that an agent had: if its own .git is gone, git must not find another one further up. */
export function inside(cwd: string, env: Environment = {}): { cwd: string; env: Environment } {
  return { cwd, env: { GIT_CEILING_DIRECTORIES: dirname(cwd), ...env } };
}

/** Committer and author (the same where none is named), whatever the configuration says. */
export function identityEnvironment(identity: Identity, author: Identity = identity): Environment {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
}

/** The agent may have set these in its slot; what we write does not depend on them. */
export const COMMIT_CONFIG = ['-c', 'i18n.commitEncoding=UTF-8', '-c', 'commit.gpgSign=false'];

/**
 * Where files of the git directory lie for this work tree (a linked one has its own HEAD, index and MERGE_HEAD). A slot has one
 * plain git directory, which is made safe first, so nobody needs to be asked.
 */
export async function gitPaths(cwd: string, names: readonly string[]): Promise<string[]> {
  const { GIT_DIR } = await namedDirectory(cwd);
  if (GIT_DIR !== undefined) return names.map((name) => join(GIT_DIR, name));
  const args = names.flatMap((name) => ['--git-path', name]);
  const { stdout } = await git(['rev-parse', '--path-format=absolute', ...args], inside(cwd));
  return stdout.split('\n').slice(0, names.length);
}
