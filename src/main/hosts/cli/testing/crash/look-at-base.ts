import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../headway.ts';
import type { Faults } from './faults.ts';
import type { Round } from './round.ts';

/** Commits on the base's own line, newest first, with the jobs that they land. */
function landings(place: Place, repo: string, since: string): { commit: string; jobs: string[] }[] {
  const format = '--format=%H %(trailers:key=Headway-Job,valueonly,separator=%x20)';
  const out = place.git(repo, 'log', '--first-parent', format, `${since}..main`);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', ...jobs] = line.trim().split(' ');
      return { commit, jobs };
    });
}

/** At any moment, also between a kill and the next start: no job landed twice, nothing but fast-forwards. */
export function lookAtLine(place: Place, repo: string, since: string, faults: Faults): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { jobs } of landings(place, repo, since))
    for (const job of jobs) counts.set(job, (counts.get(job) ?? 0) + 1);
  for (const [job, count] of counts)
    if (count > 1) faults.add('twice', `job ${job} landed ${count} times on main`);
  return counts;
}

/** How often the base has moved since the repository was made. */
export const movesOf = (place: Place, repo: string): number =>
  place.git(repo, 'reflog', 'show', '--format=%H', 'main').split('\n').length;

/** After a round: each job is on the base exactly once, its lines too, and the user's checkout stands clean on it. */
export function lookAtBase(
  place: Place,
  repo: string,
  round: Round & { movesBefore: number },
  jobs: ReadonlyMap<string, string>,
  since: string,
  faults: Faults,
): void {
  const counts = lookAtLine(place, repo, since, faults);
  for (const [ticket, job] of jobs)
    if (!counts.has(job)) faults.add('lost', `${ticket} (${job}) is merged, but not on main`);
  const moves = movesOf(place, repo) - round.movesBefore;
  if (moves !== jobs.size)
    faults.add(moves > jobs.size ? 'twice' : 'lost', `main moved ${moves} times for ${jobs.size} jobs`);
  for (const [path, lines] of Object.entries(round.expected)) {
    const there = readOr(join(repo, path))
      .split('\n')
      .filter((line) => line !== '')
      .toSorted();
    for (const line of new Set([...lines, ...there])) {
      const wanted = lines.filter((each) => each === line).length;
      const found = there.filter((each) => each === line).length;
      if (found < wanted) faults.add('lost', `${path} lacks the line of ${line}`);
      if (found > wanted) faults.add('twice', `${path} has the line of ${line} ${found} times`);
    }
  }
  const status = place.git(repo, 'status', '--porcelain');
  if (status !== '') faults.add('left behind', `the user's checkout is not clean: ${status}`);
  if (place.git(repo, 'symbolic-ref', 'HEAD') !== 'refs/heads/main')
    faults.add('left behind', "the user's HEAD is elsewhere");
  const refs = place.git(repo, 'for-each-ref', '--format=%(refname)').split('\n');
  for (const ref of refs)
    if (ref !== 'refs/heads/main') faults.add('left behind', `${ref} in the user's repository`);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
