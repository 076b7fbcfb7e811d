import type { AnyEvent, EventName, EventPayload } from '../../shared/contract.ts';

/** The engine's events, numbered. A listener that throws stops neither the others nor the engine. */
export interface EventBus {
  emit<N extends EventName>(name: N, payload: EventPayload<N>): void;
  listen(listener: (event: AnyEvent) => void): () => void;
  readonly seq: number;
}

export function createEventBus(onProblem: (thrown: unknown) => void): EventBus {
  const listeners = new Set<(event: AnyEvent) => void>();
  let seq = 0;
  return {
    emit(name, payload) {
      seq += 1;
      const event = { name, payload, seq } as AnyEvent;
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (thrown) {
          onProblem(thrown);
        }
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get seq() {
      return seq;
    },
  };
}
