/** A set of listeners of one kind. A listener added or removed while `emit` runs takes effect at the next `emit`. */
export interface Listeners<T extends unknown[]> {
  add(listener: (...args: T) => void): () => void;
  emit(...args: T): void;
  clear(): void;
}

export function createListeners<T extends unknown[]>(): Listeners<T> {
  let current: readonly ((...args: T) => void)[] = [];
  return {
    add(listener) {
      current = [...current, listener];
      return () => {
        current = current.filter((other) => other !== listener);
      };
    },
    emit(...args) {
      for (const listener of current) listener(...args);
    },
    clear() {
      current = [];
    },
  };
}

/** A signal that fires once: listeners added afterwards run at once. */
export interface Once {
  readonly fired: boolean;
  add(listener: () => void): () => void;
  fire(): void;
}

export function createOnce(): Once {
  const listeners = createListeners<[]>();
  let fired = false;
  return {
    get fired() {
      return fired;
    },
    add(listener) {
      if (!fired) return listeners.add(listener);
      listener();
      return () => {};
    },
    fire() {
      if (fired) return;
      fired = true;
      listeners.emit();
      listeners.clear();
    },
  };
}
