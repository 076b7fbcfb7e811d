import type { SharedDocument } from '../store.ts';

/** A shared document in memory, for tests of what several processes would do with it. */
export function memoryDocument(document?: unknown): SharedDocument {
  let stands = document;
  return {
    read: async () => stands,
    async change(change) {
      const changed = change(stands);
      stands = changed.document;
      return changed.result;
    },
  };
}
