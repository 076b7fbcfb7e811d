import type { AdmissionEntry } from './admission-types.ts';

type Edges = {
  add(entry: AdmissionEntry): void;
  remove(entry: AdmissionEntry): void;
  /** Whether any job names a dependency. */
  hasDependencies(): boolean;
  /** Ids of jobs related to this one, whoever of the two says so. */
  related(jobId: string): Iterable<string>;
  /** Ids of jobs that name this one as their dependency. */
  dependents(jobId: string): Iterable<string>;
};

const NONE: readonly string[] = [];

/** The edges between jobs, looked up from either end. They may name jobs that are not there yet. */
export function createEdges(): Edges {
  const relatedBy = new Map<string, Map<string, number>>();
  const dependentsOf = new Map<string, Set<string>>();

  /** Counts, as both ends may name the same edge. */
  function count(from: string, to: string, by: number): void {
    const edges = relatedBy.get(from) ?? new Map<string, number>();
    relatedBy.set(from, edges);
    const left = (edges.get(to) ?? 0) + by;
    if (left > 0) edges.set(to, left);
    else edges.delete(to);
    if (edges.size === 0) relatedBy.delete(from);
  }

  function countAll(entry: AdmissionEntry, by: number): void {
    for (const id of new Set(entry.related)) {
      if (id === entry.id) continue;
      count(entry.id, id, by);
      count(id, entry.id, by);
    }
  }

  return {
    add(entry) {
      countAll(entry, 1);
      for (const id of entry.dependsOn) {
        const dependents = dependentsOf.get(id);
        if (dependents) dependents.add(entry.id);
        else dependentsOf.set(id, new Set([entry.id]));
      }
    },
    remove(entry) {
      countAll(entry, -1);
      for (const id of entry.dependsOn) {
        const dependents = dependentsOf.get(id);
        dependents?.delete(entry.id);
        if (dependents?.size === 0) dependentsOf.delete(id);
      }
    },
    hasDependencies: () => dependentsOf.size > 0,
    // A look at the size first: in a queue without edges this is asked for every job.
    related: (jobId) => (relatedBy.size === 0 ? NONE : (relatedBy.get(jobId)?.keys() ?? NONE)),
    dependents: (jobId) => dependentsOf.get(jobId) ?? [],
  };
}
