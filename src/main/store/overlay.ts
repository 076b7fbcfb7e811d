/** `inside` with some of its parts replaced; whatever it gains later goes through. */
export function overlay<T extends object>(inside: T, parts: Partial<T>): T {
  return new Proxy(inside, {
    get(target, name) {
      const part = (parts as Record<PropertyKey, unknown>)[name];
      if (part !== undefined) return part;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
