import type { ProofState } from '../../shared/contract.ts';
import type { Repository } from '../../shared/domain.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import type { Proof } from '../../shared/gate-report.ts';
import type { JobPorts } from '../jobs/ports.ts';

/** Proofs that a window starts and follows: one at a time for each repository. */
export interface Proofs {
  /** Starts one unless one runs; of one area where it is named. */
  start(repository: Repository, area?: string): Promise<ProofState>;
  /** Ends the running one, if any, and settles when its tree is put back and its slot given back. */
  cancel(repository: Repository): Promise<ProofState>;
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

type Running = {
  area: string | undefined;
  progress: string | undefined;
  cancel: AbortController;
  ended: Promise<void>;
};
type Part = { area: string; proof: Proof };

export function createProofs(ports: JobPorts, onChange: (state: ProofState) => void): Proofs {
  const stopping = new AbortController();
  const running = new Map<string, Running>();
  const errors = new Map<string, string>();
  const parts = new Map<string, Part>();

  const state = async (repository: Repository): Promise<ProofState> => {
    const { id: repoId } = repository;
    const proof = await ports.store.proofs.latest(repoId);
    const mine = running.get(repoId);
    const error = errors.get(repoId);
    const part = parts.get(repoId);
    const key = proof?.provable ? await currentKey(ports, repository) : undefined;
    return {
      repoId,
      running: mine !== undefined,
      ...(mine?.area === undefined ? {} : { area: mine.area }),
      ...(mine?.progress === undefined ? {} : { progress: mine.progress }),
      ...(error === undefined ? {} : { error }),
      ...(proof === undefined ? {} : { proof }),
      ...(part === undefined ? {} : { part }),
      fresh: proof !== undefined && proof.key === key,
    };
  };
  const tell = async (repository: Repository): Promise<void> => {
    onChange(await state(repository));
  };

  const prove = async (repository: Repository, mine: Running): Promise<void> => {
    const { area } = mine;
    try {
      // Large, and seldom needed: not part of a start.
      const { gateProve } = await import('./gate-prove.ts');
      const proof = await gateProve(ports, {
        repository,
        signal: AbortSignal.any([stopping.signal, mine.cancel.signal]),
        ...(area === undefined ? {} : { area }),
        onProgress: (progress) => {
          mine.progress = progress;
          void tell(repository).catch(() => undefined); // the end is told in any case
        },
      });
      if (area === undefined) parts.delete(repository.id);
      else parts.set(repository.id, { area, proof });
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
        const mine: Running = {
          area,
          progress: undefined,
          cancel: new AbortController(),
          ended: Promise.resolve(),
        };
        running.set(repository.id, mine);
        mine.ended = prove(repository, mine);
      }
      return state(repository);
    },
    async cancel(repository) {
      const mine = running.get(repository.id);
      mine?.cancel.abort();
      await mine?.ended;
      return state(repository);
    },
    state,
    async stop() {
      stopping.abort();
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
    },
  };
}
