import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { later } from '../../../shared/later.ts';
import { DAY_MS } from '../../../shared/time.ts';

/** Where the digests of tokens are kept: what the store's shared documents offer. */
type KeptDigests = {
  read(): Promise<unknown>;
  change<T>(change: (document: unknown) => { document: unknown; result: T }): Promise<T>;
};

export interface Tokens {
  /** That of this start. It is printed once and kept nowhere. */
  readonly token: string;
  isKnown(given: string | undefined): Promise<boolean>;
}

const KEPT = 50;
const KEPT_MS = 30 * DAY_MS;
const digestsSchema = later(() => z.array(z.object({ digest: z.string(), at: z.number() })));

/** 32 random bytes have no dictionary: one round of SHA-256 is as good as a slow hash. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * A new token for this start. Those of earlier starts stay good for 30 days, so that pages which are open go on when the
 * server is there again; `renew` takes them all back, also from servers that run.
 */
export async function createTokens(kept: KeptDigests, nowMs: number, renew: boolean): Promise<Tokens> {
  const token = randomBytes(32).toString('base64url');
  await kept.change((document) => {
    const earlier = renew ? [] : read(document).filter(({ at }) => nowMs - at < KEPT_MS);
    return { document: [...earlier, { digest: digestOf(token), at: nowMs }].slice(-KEPT), result: undefined };
  });
  return {
    token,
    async isKnown(given) {
      if (given === undefined) return false;
      // Digests of secrets, not the secrets, are compared: how long it takes tells nothing of use.
      const digest = digestOf(given);
      return read(await kept.read()).some((each) => each.digest === digest);
    },
  };
}

/** For a host whose pages need not outlive it. */
export function memoryTokens(): Tokens {
  const token = randomBytes(32).toString('base64url');
  const digest = digestOf(token);
  return { token, isKnown: async (given) => given !== undefined && digestOf(given) === digest };
}

const read = (document: unknown): { digest: string; at: number }[] => {
  const parsed = digestsSchema.safeParse(document);
  return parsed.success ? parsed.data : [];
};
