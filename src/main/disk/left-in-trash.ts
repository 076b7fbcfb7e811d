import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { measureTree } from './measure.ts';
import { exists, type LeftInTrash } from './trash.ts';

/*
 * What a trash directory could not be emptied of stands beside it, so that every process can tell it, and what it takes,
 * without trying anew.
 */

const NAME = '.trash-left.json';
const schema = z.array(z.object({ path: z.string(), bytes: z.number(), why: z.string() }));
export type Left = z.infer<typeof schema>[number];

export async function noteLeft(trash: string, left: readonly LeftInTrash[]): Promise<void> {
  const file = join(dirname(trash), NAME);
  if (left.length === 0) return rm(file, { force: true });
  const measured: Left[] = [];
  for (const { path, why } of left) {
    const bytes = (await measureTree(path, new AbortController().signal)) ?? 0;
    measured.push({ path, bytes, why });
  }
  await writeFile(file, JSON.stringify(measured));
}

/** What stays in the trash of all repositories below the directory of the slots. */
export async function leftInTrash(root: string): Promise<Left[]> {
  const repositories = await readdir(root).catch(() => [] as string[]);
  const all = await Promise.all(repositories.map((name) => readLeft(join(root, name, NAME))));
  const there = await Promise.all(all.flat().map(async (left) => ((await exists(left.path)) ? [left] : [])));
  return there.flat();
}

async function readLeft(file: string): Promise<Left[]> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return []; // none, or cut short by a crash: the next emptying writes it anew
  }
}
