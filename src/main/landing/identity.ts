import type { Identity } from '../git/commit-message.ts';
import { git } from '../git/git.ts';

const FALLBACK: Identity = { name: 'Headway', email: 'headway@localhost' };

/** Who commits in this repository by the user's own settings; Headway itself where they name nobody. */
export async function readIdentity(path: string): Promise<Identity> {
  const value = async (key: string): Promise<string | undefined> =>
    (await git(['config', '--get', key], { cwd: path, ok: [0, 1] })).stdout.trim() || undefined;
  const [name, email] = await Promise.all([value('user.name'), value('user.email')]);
  return { name: name ?? FALLBACK.name, email: email ?? FALLBACK.email };
}
