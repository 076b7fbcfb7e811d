import { dirname } from 'node:path';
import type { Environment } from '../processes/environment.ts';
import type { Identity } from './commit-message.ts';

/** Git options for a work tree that an agent had: if its own .git is gone, git must not find another one further up. */
export function inside(cwd: string, env: Environment = {}): { cwd: string; env: Environment } {
  return { cwd, env: { GIT_CEILING_DIRECTORIES: dirname(cwd), ...env } };
}

/** Author and committer, whatever the configuration says. */
export function identityEnvironment(identity: Identity): Environment {
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
}

/** The agent may have set these in its slot; what we write does not depend on them. */
export const COMMIT_CONFIG = ['-c', 'i18n.commitEncoding=UTF-8', '-c', 'commit.gpgSign=false'];
