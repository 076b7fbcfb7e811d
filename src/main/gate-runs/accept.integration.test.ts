import { afterEach, beforeEach, expect, it } from 'vitest';
import { readUserPolicy } from '../gate/policy/user-policy.ts';
import { resolveHome } from '../settings/home.ts';
import { Scratch } from '../testing/scratch.ts';
import { acceptFinding } from './gate-audit.ts';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch('headway-accept');
});
afterEach(() => {
  scratch.remove();
});

it('findings that are accepted at the same moment are all in the policy', async () => {
  const home = resolveHome({ HEADWAY_HOME: scratch.home });
  const reasons = Array.from({ length: 8 }, (_, index) => `because of ${index}`);
  await Promise.all(
    reasons.map((reason, index) => acceptFinding(home, 'r', { finding: `finding-${index}`, reason })),
  );
  const policy = (await readUserPolicy(home.root, 'r')) ?? '';
  expect(reasons.filter((reason) => !policy.includes(reason))).toEqual([]);
});
