import type { Claim, Job } from '../../shared/domain.ts';

export type ChangedFile = { path: string; strayed: boolean };

/** Changed files, strayed ones first: those are what a person has to look at. */
export function changedFiles(job: Pick<Job, 'files' | 'strayed'>): readonly ChangedFile[] {
  const strayed = new Set(job.strayed);
  const all = [...new Set([...job.files, ...job.strayed])].sort();
  const mark = (path: string): ChangedFile => ({ path, strayed: strayed.has(path) });
  return [...all.filter((path) => strayed.has(path)), ...all.filter((path) => !strayed.has(path))].map(mark);
}

const SOURCES = {
  declared: 'declared',
  text: 'named in the text',
  changed: 'changed by the last run',
} as const;

export function claimText(claim: Claim): string {
  return claim.kind === 'everything' ? `everything (${claim.why})` : SOURCES[claim.from];
}
