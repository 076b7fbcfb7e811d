import type { Repository } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import type { Store } from '../store/store.ts';
import { chooseBase } from './base-branch.ts';
import { identify } from './identify.ts';

/** The registered repositories, read once and kept in step with the store. */
export interface RepositoryRegistry {
  load(): Promise<void>;
  /** Reads what another process may have registered, agreed to or removed, and tells of it. */
  refresh(): Promise<void>;
  list(): Repository[];
  get(repoId: string): Repository | undefined;
  /** Throws `not-found`. */
  need(repoId: string): Repository;
  /** Registers a repository, or finds the registered one; a named base replaces the registered one. */
  add(path: string, base?: string): Promise<Repository>;
  /** Throws `not-found`. */
  trust(repository: Repository, hash: string): Promise<Repository>;
  remove(repoId: string): Promise<void>;
}

function missing(repoId: string): never {
  throw new HeadwayError('not-found', `There is no repository ${repoId}.`);
}

export function createRepositoryRegistry(options: {
  store: Store;
  now(): number;
  onChange(repository: Repository): void;
  onRemoved(repoId: string): void;
}): RepositoryRegistry {
  const known = new Map<string, Repository>();
  /** Changes what stands now, whatever another process has changed since we read it. */
  const change = async (
    repoId: string,
    to: (registered: Repository | undefined) => Repository | undefined,
  ): Promise<Repository | undefined> => {
    const repository = await options.store.repositories.change(repoId, to);
    if (!repository) return undefined;
    known.set(repository.id, repository);
    options.onChange(repository);
    return repository;
  };
  const refresh = async (): Promise<void> => {
    const rows = new Map((await options.store.repositories.list()).map((row) => [row.id, row]));
    for (const [id, row] of rows) {
      if (JSON.stringify(known.get(id)) === JSON.stringify(row)) continue;
      known.set(id, row);
      options.onChange(row);
    }
    for (const id of [...known.keys()].filter((one) => !rows.has(one))) {
      known.delete(id);
      options.onRemoved(id);
    }
  };
  return {
    async load() {
      for (const repository of await options.store.repositories.list()) known.set(repository.id, repository);
    },
    refresh,
    list: () => [...known.values()],
    get: (repoId) => known.get(repoId),
    need(repoId) {
      return known.get(repoId) ?? missing(repoId);
    },
    async add(path, base) {
      const place = await identify(path);
      await refresh();
      const { path: top, gitDir, name, id } = place;
      const before = known.get(id);
      const chosen = base !== undefined || !before ? await chooseBase(place, base) : before.base;
      const added = (registered: Repository | undefined): Repository => ({
        addedAt: options.now(),
        ...registered,
        id,
        path: top,
        gitDir,
        name,
        base: base !== undefined || !registered ? chosen : registered.base,
      });
      return (await change(id, added)) ?? missing(id);
    },
    async trust({ id }, hash) {
      const trusted = await change(id, (registered) => registered && { ...registered, trustedHash: hash });
      return trusted ?? missing(id);
    },
    async remove(repoId) {
      await options.store.repositories.remove(repoId);
      known.delete(repoId);
      options.onRemoved(repoId);
    },
  };
}
