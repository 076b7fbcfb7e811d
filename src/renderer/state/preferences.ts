import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** Preferences of this window on this machine; what concerns the engine is in its settings. */
export type Preferences = { screenReader: boolean; fontSizePx: number };

const KEY = 'headway.preferences';
const DEFAULTS: Preferences = { screenReader: false, fontSizePx: 12 };

export function parsePreferences(text: string | null): Preferences {
  try {
    const value = JSON.parse(text ?? '{}') as Partial<Record<keyof Preferences, unknown>>;
    const size = Number(value.fontSizePx);
    return {
      screenReader: value.screenReader === true,
      fontSizePx: size >= 8 && size <= 24 ? Math.round(size) : DEFAULTS.fontSizePx,
    };
  } catch {
    return DEFAULTS;
  }
}

export const preferencesStore = createStore<Preferences>(() => DEFAULTS);

export function loadPreferences(): void {
  preferencesStore.setState(parsePreferences(localStorage.getItem(KEY)));
  preferencesStore.subscribe((next) => localStorage.setItem(KEY, JSON.stringify(next)));
}

export function usePreferences(): Preferences {
  return useStore(preferencesStore);
}
