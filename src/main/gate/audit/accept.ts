import type { Finding } from '../../../shared/gate-report.ts';
import { matchesAny } from '../../paths/globs.ts';

/** What the policy accepts, with the reason; `files` narrows it to some of the files. */
export type Acceptance = { finding: string; reason: string; files?: readonly string[] | undefined };

/**
 * Pure: marks what the policy accepts. One that names files takes only these out; what is left of the finding stands.
 */
export function withAcceptances(findings: readonly Finding[], accept: readonly Acceptance[]): Finding[] {
  return findings.flatMap((finding) => {
    let open = finding;
    const marked: Finding[] = [];
    for (const { finding: kind, reason, files } of accept) {
      if (kind !== finding.kind) continue;
      if (files === undefined || files.length === 0) return [...marked, { ...open, accepted: reason }];
      const taken = open.files.filter((path) => matchesAny(path, files));
      if (taken.length === 0) continue;
      marked.push({ ...open, files: taken, accepted: reason });
      open = { ...open, files: open.files.filter((path) => !taken.includes(path)) };
      if (open.files.length === 0) return marked;
    }
    return [...marked, open];
  });
}

/** Findings that keep a gate from being called green. */
export const blocking = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ hidesWork, accepted }) => hidesWork && accepted === undefined);
