import type { Facts } from './facts.ts';

/** Pure: flags that make a step quicker on a warm slot and can't change its outcome. */
export function speedProposals(facts: Facts): string[] {
  const proposals: string[] = [];
  for (const { label, build } of facts.gate.typechecks) {
    if (!build && /^tsc/.test(label) && !/--incremental/.test(label)) {
      proposals.push(
        `${label}: add --incremental --tsBuildInfoFile node_modules/.cache/tsc.tsbuildinfo, and keep that file in caches`,
      );
    }
  }
  for (const { label } of facts.gate.lints) {
    if (/^eslint/.test(label) && !/--cache\b/.test(label)) {
      proposals.push(
        `${label}: add --cache --cache-strategy content --cache-location node_modules/.cache/eslint/`,
      );
    }
  }
  return [...new Set(proposals)];
}
