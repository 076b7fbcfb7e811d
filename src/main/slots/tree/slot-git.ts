import { type GitOptions, type GitOutput, git } from '../../git/git.ts';
import { slotVariables } from '../../git/named-directory.ts';
import type { SlotPlace } from '../../paths/layout.ts';

type Options = Omit<GitOptions, 'cwd'>;

/** Git in a slot, and nowhere else: see `namedDirectory`. */
export function slotGit(
  place: SlotPlace,
  args: readonly string[],
  options: Options = {},
): Promise<GitOutput> {
  return git(args, {
    ...options,
    cwd: place.path,
    env: { ...slotVariables(place), ...options.env },
  });
}

/** One line of output, trimmed. */
export async function slotLine(
  place: SlotPlace,
  args: readonly string[],
  options: Options = {},
): Promise<string> {
  return (await slotGit(place, args, options)).stdout.trim();
}

/** NUL-separated output as a list. */
export async function slotList(
  place: SlotPlace,
  args: readonly string[],
  options: Options = {},
): Promise<string[]> {
  return (await slotGit(place, args, options)).stdout.split('\0').filter((entry) => entry !== '');
}
