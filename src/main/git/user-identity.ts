import type { Identity } from './commit-message.ts';
import { gitList } from './git.ts';

const FALLBACK: Identity = { name: 'Headway', email: 'headway@localhost' };

/** Who commits in this repository by the user's own settings; Headway itself where they name nobody. */
export async function readIdentity(path: string): Promise<Identity> {
  // `key LF value`; the last one of a key counts.
  const entries = await gitList(['config', '-z', '--get-regexp', '^user\\.(name|email)$'], {
    cwd: path,
    ok: [0, 1],
  });
  const values = new Map(entries.map((entry) => entry.split('\n', 2) as [string, string | undefined]));
  const value = (key: string): string | undefined => values.get(key)?.trim() || undefined;
  return { name: value('user.name') ?? FALLBACK.name, email: value('user.email') ?? FALLBACK.email };
}
