import { useEffect } from 'react';
import type { ProofState } from '../../shared/contract.ts';
import { engine } from './engine.ts';
import { type Answer, useAnswer } from './use-answer.ts';

/** The proof of a repository's gate as it is and as it changes. `version`: whatever makes a proof stale. */
export function useProof(repoId: string, version: string): Answer<ProofState> {
  const answer = useAnswer(`${repoId}:${version}`, () => engine().request('gate.proof', { repoId }));
  const { put } = answer;
  useEffect(
    () =>
      engine().onEvent((event) => {
        if (event.name === 'proof.changed' && event.payload.repoId === repoId) put(event.payload);
      }),
    [repoId, put],
  );
  return answer;
}
