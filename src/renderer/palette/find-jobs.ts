import type { Job } from '../../shared/domain.ts';

const MAX_FOUND = 20;

/** Jobs whose ticket's id or title holds every word; none without words, and never more than a list can show. */
export function findJobs(jobs: Iterable<Job>, text: string): readonly Job[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: Job[] = [];
  for (const job of jobs) {
    const name = `${job.ticket.id} ${job.ticket.title}`.toLowerCase();
    if (words.every((word) => name.includes(word))) found.push(job);
    if (found.length === MAX_FOUND) break;
  }
  return found;
}
