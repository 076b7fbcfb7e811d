import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Model } from './model.ts';

export type Connection = 'connecting' | 'open' | 'closed';

/** `model` is undefined until the first snapshot; afterwards it stays, however the connection fares. */
export type EngineState = {
  connection: Connection;
  model: Model | undefined;
  loadError: string | undefined;
  /** Since when nothing is heard of the engine; undefined: it answers, or never did. */
  lostAt: number | undefined;
  /** It answers, and says that this page's token is not good any more. */
  isRefused: boolean;
};

export const engineStore = createStore<EngineState>(() => ({
  connection: 'connecting',
  model: undefined,
  loadError: undefined,
  lostAt: undefined,
  isRefused: false,
}));

export function useEngine<T>(select: (state: EngineState) => T): T {
  return useStore(engineStore, select);
}

/** Narrow access to the model; `fallback` while there is none yet. The selector must return a stable value. */
export function useModel<T>(select: (model: Model) => T, fallback: T): T {
  return useStore(engineStore, (state) => (state.model ? select(state.model) : fallback));
}

export const currentModel = (): Model | undefined => engineStore.getState().model;
