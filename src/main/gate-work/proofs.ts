import type { ProofState } from '../../shared/contract.ts';
import type { Repository } from '../../shared/domain.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import type { JobPorts } from '../jobs/ports.ts';

/** Proofs that a window starts and follows: one at a time for each repository. */
export interface Proofs {
  /** Starts one unless one runs. */
  start(repository: Repository, area?: string): Promise<ProofState>;
  state(repository: Repository): Promise<ProofState>;
  /** Ends what runs and gives its slots back. */
  stop(): Promise<void>;
}

/** Undefined where the repository can't be read now: then no proof is called fresh. */
async function currentKey(ports: JobPorts, repository: Repository): Promise<string | undefined> {
  try {
    const { currentProofKey } = await import('./gate-prove.ts');
    return await currentProofKey(ports, repository);
  } catch {
    return undefined;
  }
}

type Running = { progress: string | undefined; ended: Promise<void> };

export function createProofs(ports: JobPorts, onChange: (state: ProofState) => void): Proofs {
  const stopping = new AbortController();
  const running = new Map<string, Running>();
  const errors = new Map<string, string>();

  const state = async (repository: Repository): Promise<ProofState> => {
    const { id: repoId } = repository;
    const proof = await ports.store.proofs.latest(repoId);
    const mine = running.get(repoId);
    const error = errors.get(repoId);
    const key = proof?.provable ? await currentKey(ports, repository) : undefined;
    return {
      repoId,
      running: mine !== undefined,
      ...(mine?.progress === undefined ? {} : { progress: mine.progress }),
      ...(error === undefined ? {} : { error }),
      ...(proof === undefined ? {} : { proof }),
      fresh: proof !== undefined && proof.key === key,
    };
  };
  const tell = async (repository: Repository): Promise<void> => {
    onChange(await state(repository));
  };

  const prove = async (repository: Repository, area: string | undefined): Promise<void> => {
    try {
      // Large, and seldom needed: not part of a start.
      const { gateProve } = await import('./gate-prove.ts');
      await gateProve(ports, {
        repository,
        signal: stopping.signal,
        ...(area === undefined ? {} : { area }),
        onProgress: (progress) => {
          const mine = running.get(repository.id);
          if (mine) mine.progress = progress;
          void tell(repository).catch(() => undefined); // the end is told in any case
        },
      });
    } catch (thrown) {
      errors.set(repository.id, toError(thrown).message);
    } finally {
      running.delete(repository.id);
      if (!stopping.signal.aborted) {
        // That it ended is told in any case.
        await tell(repository).catch((thrown: unknown) =>
          onChange({ repoId: repository.id, running: false, error: toError(thrown).message, fresh: false }),
        );
      }
    }
  };

  return {
    async start(repository, area) {
      if (stopping.signal.aborted) throw new HeadwayError('cancelled', 'Headway is stopping');
      if (!running.has(repository.id)) {
        errors.delete(repository.id);
        const mine: Running = { progress: undefined, ended: Promise.resolve() };
        running.set(repository.id, mine);
        mine.ended = prove(repository, area);
      }
      return state(repository);
    },
    state,
    async stop() {
      stopping.abort();
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
    },
  };
}
