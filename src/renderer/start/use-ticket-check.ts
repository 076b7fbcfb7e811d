import { useEffect, useState } from 'react';
import type { RequestResult } from '../../shared/contract.ts';
import { toError } from '../../shared/errors.ts';
import { engine } from '../state/engine.ts';
import type { TicketFile } from '../state/ui-store.ts';

export type TicketCheck =
  | { state: 'none' }
  | { state: 'checking' }
  | { state: 'failed'; why: string }
  | { state: 'checked'; result: RequestResult<'tickets.check'> };

/** Long enough not to ask at each key, short enough to feel at once. */
const TYPING_MS = 250;

/** Checks the tickets as they are written: the same check that submitting makes. */
export function useTicketCheck(repoId: string | undefined, files: readonly TicketFile[]): TicketCheck {
  const [check, setCheck] = useState<TicketCheck>({ state: 'none' });
  useEffect(() => {
    if (repoId === undefined || files.length === 0) {
      setCheck({ state: 'none' });
      return;
    }
    let stale = false;
    setCheck({ state: 'checking' });
    const timer = setTimeout(() => {
      engine()
        .request('tickets.check', { repoId, files: [...files] })
        .then(
          (result) => !stale && setCheck({ state: 'checked', result }),
          (thrown: unknown) => !stale && setCheck({ state: 'failed', why: toError(thrown).message }),
        );
    }, TYPING_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [repoId, files]);
  return check;
}
