import { useEffect, useState } from 'react';

/** What a person has begun to write and not yet sent: kept over closing, reloads and restarts until it is sent or discarded. */
const PREFIX = 'headway.draft.';
const MAX_AGE_MS = 60 * 24 * 3_600_000;

type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export class Drafts {
  readonly #place: Place;
  readonly #now: () => number;
  /** Also what the place has no room for. */
  readonly #values = new Map<string, unknown>();

  constructor(place: Place, now: () => number = Date.now) {
    this.#place = place;
    this.#now = now;
    for (const key of this.#keys()) {
      const at = this.#read(key)?.at;
      if (at === undefined || now() - at > MAX_AGE_MS) place.removeItem(key);
    }
  }

  get(name: string): unknown {
    return this.#values.get(name) ?? this.#read(PREFIX + name)?.value;
  }

  /** False where it is kept only until this page is left. */
  keep(name: string, value: unknown): boolean {
    this.#values.set(name, value);
    try {
      this.#place.setItem(PREFIX + name, JSON.stringify({ at: this.#now(), value }));
      return true;
    } catch {
      // An older state of it would come back as if it were this one.
      this.#place.removeItem(PREFIX + name);
      return false;
    }
  }

  discard(name: string): void {
    this.#values.delete(name);
    this.#place.removeItem(PREFIX + name);
  }

  #keys(): string[] {
    const keys = Array.from({ length: this.#place.length }, (_, index) => this.#place.key(index));
    return keys.filter((key) => key?.startsWith(PREFIX)) as string[];
  }

  #read(key: string): { at: number; value: unknown } | undefined {
    try {
      const read = JSON.parse(this.#place.getItem(key) ?? 'null') as { at?: unknown; value?: unknown } | null;
      return typeof read?.at === 'number' ? { at: read.at, value: read.value } : undefined;
    } catch {
      return undefined;
    }
  }
}

let present: Drafts | undefined;

/** Those of this window; other windows of the same browser find them when they open the same field. */
export function drafts(): Drafts {
  present ??= new Drafts(localStorage);
  return present;
}

/** The text of one field, as it was left; `sent` forgets it, once it has arrived. */
export function useTextDraft(name: string): { text: string; setText(text: string): void; sent(): void } {
  const [text, setText] = useState(() => {
    const kept = drafts().get(name);
    return typeof kept === 'string' ? kept : '';
  });
  useEffect(() => {
    if (text.trim() === '') drafts().discard(name);
    else drafts().keep(name, text);
  }, [name, text]);
  return { text, setText, sent: () => drafts().discard(name) };
}
