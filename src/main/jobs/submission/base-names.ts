import { readBlobs } from '../../git/read-blobs.ts';
import { LinkedNames } from '../../scheduling/linked-names.ts';
import { trackedPaths } from '../../scheduling/tracked-paths.ts';
import type { Mirror } from '../../slots/mirror/mirror.ts';

const LINK = '120000';
const SUBMODULE = '160000';

/** What a commit tracks, and by which names: its links are read from the commit, never from a work tree. */
export async function namesAt(
  mirror: Mirror,
  commit: string,
): Promise<{ tracked: ReadonlySet<string>; names: LinkedNames }> {
  const files = await mirror.files(commit);
  const links = files.filter(({ mode }) => mode === LINK);
  const targets = await readBlobs(
    mirror.path,
    links.map(({ objectId }) => objectId),
  );
  const tracked = trackedPaths(files.map(({ path }) => path));
  const names = new LinkedNames({
    tracked,
    links: links.map(({ path, objectId }) => ({ path, target: targets.get(objectId) })),
    submodules: files.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path),
  });
  return { tracked, names };
}
