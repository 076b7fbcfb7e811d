/** May the repository's own commands (setup, gate, the scripts they call) run? */
export type TrustDecision =
  | { kind: 'trusted' }
  /** The person agrees by adding or running it, or by an explicit yes: store `hash`, then run. */
  | { kind: 'agree'; hash: string }
  /** The commands are others than those agreed to: hold until a new yes. */
  | { kind: 'needs-yes'; hash: string };

/**
 * The first add or run of a repository agrees to the commands that were shown (`hash`). Later changes need a yes of
 * their own: `yes` is true (--trust), or the hash that was clicked.
 */
export function decideTrust(input: {
  hash: string;
  trustedHash: string | undefined;
  /** A person adds or runs the repository in this very moment and sees the commands. */
  shown: boolean;
  yes?: boolean | string;
}): TrustDecision {
  const { hash, trustedHash } = input;
  if (trustedHash === hash) return { kind: 'trusted' };
  if (input.yes === true || input.yes === hash) return { kind: 'agree', hash };
  if (trustedHash === undefined && input.shown) return { kind: 'agree', hash };
  return { kind: 'needs-yes', hash };
}
