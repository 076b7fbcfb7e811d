const lasts = new Map<string, Promise<unknown>>();

/** Runs one task at a time per key, in the order of asking. */
export async function inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
  const before = lasts.get(key);
  const mine = (async () => {
    await before?.catch(() => undefined); // the one before tells its own caller
    return await task();
  })();
  lasts.set(key, mine);
  try {
    return await mine;
  } finally {
    if (lasts.get(key) === mine) lasts.delete(key);
  }
}
