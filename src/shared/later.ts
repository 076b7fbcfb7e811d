/**
 * A value that is made with its first use. Schemas are many and costly to make, and a start needs few of them: with this
 * each is written where it belongs and made when something is parsed. Identity is the stand-in's own; compare what it
 * holds, not it.
 */
export function later<T extends object>(make: () => T): T {
  let made: T | undefined;
  const get = (): T => {
    made ??= make();
    return made;
  };
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(get(), key),
    set: (_, key, value) => Reflect.set(get(), key, value),
    has: (_, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor(_, key) {
      const found = Reflect.getOwnPropertyDescriptor(get(), key);
      // The stand-in has no property of its own, so none may be told to be fixed.
      return found && { ...found, configurable: true };
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(get()),
  });
}
