import { useCallback, useEffect, useRef, useState } from 'react';
import { toError } from '../../shared/errors.ts';
import { useEngine } from './store.ts';

export type Answer<T> = {
  /** The last one; it stays while the next is awaited. */
  value: T | undefined;
  /** Why the last question failed. */
  error: string | undefined;
  asking: boolean;
  ask(): void;
  /** Takes an answer that came another way, such as with an action. */
  put(value: T): void;
};

type Held<T> = { key: string; value: T | undefined; error: string | undefined };

/** What the engine answers to a question that belongs to `key`: asked at once, with each new key and connection, and by `ask`. */
export function useAnswer<T>(key: string, request: () => Promise<T>): Answer<T> {
  const connected = useEngine((state) => state.connection === 'open');
  const [round, setRound] = useState(0);
  const [held, setHeld] = useState<Held<T>>();
  const [asking, setAsking] = useState(true);
  // An answer counts only while no later question or answer is there.
  const latest = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what the request depends on
  useEffect(() => {
    if (!connected) return undefined;
    latest.current += 1;
    const mine = latest.current;
    setAsking(true);
    const end = (next: (before: Held<T> | undefined) => Held<T>): void => {
      if (latest.current !== mine) return;
      setHeld(next);
      setAsking(false);
    };
    request().then(
      (value) => end(() => ({ key, value, error: undefined })),
      (thrown: unknown) =>
        end((before) => ({
          key,
          value: before?.key === key ? before.value : undefined,
          error: toError(thrown).message,
        })),
    );
    return () => {
      latest.current += 1;
    };
  }, [key, round, connected]);
  const ask = useCallback(() => setRound((before) => before + 1), []);
  const put = useCallback(
    (value: T) => {
      latest.current += 1;
      setHeld({ key, value, error: undefined });
      setAsking(false);
    },
    [key],
  );
  const mine = held?.key === key ? held : undefined;
  return { value: mine?.value, error: mine?.error, asking, ask, put };
}
