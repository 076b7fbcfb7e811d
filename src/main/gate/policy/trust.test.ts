import { describe, expect, it } from 'vitest';
import { decideTrust } from './trust.ts';

describe('decideTrust', () => {
  it.each([
    [{ hash: 'a', trustedHash: 'a', shown: false }, { kind: 'trusted' }],
    [
      { hash: 'a', trustedHash: undefined, shown: true },
      { kind: 'agree', hash: 'a' },
    ],
    [
      { hash: 'a', trustedHash: undefined, shown: false },
      { kind: 'needs-yes', hash: 'a' },
    ],
    [
      { hash: 'b', trustedHash: 'a', shown: true },
      { kind: 'needs-yes', hash: 'b' },
    ],
    [
      { hash: 'b', trustedHash: 'a', shown: true, yes: true },
      { kind: 'agree', hash: 'b' },
    ],
    [
      { hash: 'b', trustedHash: 'a', shown: false, yes: 'b' },
      { kind: 'agree', hash: 'b' },
    ],
    [
      { hash: 'b', trustedHash: 'a', shown: false, yes: 'c' },
      { kind: 'needs-yes', hash: 'b' },
    ],
  ])('decides %j', (input, decision) => {
    expect(decideTrust(input)).toEqual(decision);
  });
});
