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
  trust(repository: Repository, hash: string): Promise<Repository>;
  remove(repoId: string): Promise<void>;
}

export function createRepositoryRegistry(options: {
  store: Store;
  now(): number;
  onChange(repository: Repository): void;
  onRemoved(repoId: string): void;
}): RepositoryRegistry {
  const known = new Map<string, Repository>();
  const put = async (repository: Repository): Promise<Repository> => {
    await options.store.repositories.put(repository);
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
      const repository = known.get(repoId);
      if (!repository) throw new HeadwayError('not-found', `There is no repository ${repoId}.`);
      return repository;
    },
    async add(path, base) {
      const place = await identify(path);
      await refresh();
      const registered = known.get(place.id);
      const { path: top, gitDir, name, id } = place;
      return put({
        addedAt: options.now(),
        ...registered,
        id,
        path: top,
        gitDir,
        name,
        base: base !== undefined || !registered ? await chooseBase(place, base) : registered.base,
      });
    },
    trust: (repository, hash) => put({ ...repository, trustedHash: hash }),
    async remove(repoId) {
      await options.store.repositories.remove(repoId);
      known.delete(repoId);
      options.onRemoved(repoId);
    },
  };
}
