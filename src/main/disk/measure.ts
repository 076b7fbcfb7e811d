import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/**
 * Bytes that a tree takes on the disk, each file once, no link followed. One file after another: it is slow, so that
 * nothing else gets slower. Undefined where it was given up.
 */
export async function measureTree(path: string, signal: AbortSignal): Promise<number | undefined> {
  let total = 0;
  const seen = new Set<string>();
  const directories = [path];
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    // What vanishes meanwhile, or is closed to us, counts for nothing.
    const entries = await opendir(directory).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      if (signal.aborted) return undefined;
      const found = await lstat(join(directory, entry.name)).catch(() => undefined);
      if (!found) continue;
      if (found.nlink > 1 && !found.isDirectory()) {
        const file = `${found.dev} ${found.ino}`;
        if (seen.has(file)) continue;
        seen.add(file);
      }
      // Windows tells no blocks.
      total += found.blocks === undefined ? found.size : found.blocks * BLOCK_BYTES;
      if (found.isDirectory()) directories.push(join(directory, entry.name));
    }
  }
  return total;
}
