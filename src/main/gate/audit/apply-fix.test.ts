import { expect, it } from 'vitest';
import { resolvePolicy } from '../policy/policy.ts';
import { policyWithSteps } from './apply-fix.ts';

it('adds steps behind those that decide now, with all that the repository says of these', () => {
  const own = [
    'gate:',
    '  - npm test',
    '  - name: types',
    '    run: npx tsc --noEmit',
    '    timeout: 90s',
    '    dir: app',
    '    env: { A: "1" }',
    '    reads: [app]',
    '    writes: []',
    '    caches: [.cache/types]',
    '  - { name: format, run: make format, evidence: none, after: [types] }',
    '',
  ].join('\n');
  const before = resolvePolicy({ readFile: (path) => (path === 'headway.yaml' ? own : undefined) }).gate;
  const text = policyWithSteps(undefined, before, [{ name: 'build', run: 'npm run build' }]);
  const after = resolvePolicy({ readFile: () => undefined, userPolicy: text }).gate;
  expect(after.slice(0, -1)).toEqual(before);
  expect(after.at(-1)).toMatchObject({ name: 'build', command: 'npm run build' });
});
