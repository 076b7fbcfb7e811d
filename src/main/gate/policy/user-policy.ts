import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HeadwayError, toError } from '../../../shared/errors.ts';

/** Where a person keeps their own policy for a repository, outside of it. */
export const userPolicyPath = (home: string, repoId: string): string =>
  join(home, 'policies', `${repoId}.yaml`);

/** Text of the person's own policy; undefined where there is none. Error `bad-input` where it can't be read. */
export async function readUserPolicy(home: string, repoId: string): Promise<string | undefined> {
  const path = userPolicyPath(home, repoId);
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new HeadwayError('bad-input', `${path} can't be read: ${toError(thrown).message}`);
  }
}
