import type { Judge } from './finding.ts';

/** Packages of these managers are cloned into a slot where the volume can, which no store elsewhere allows. npm and yarn unpack in any case. */
const CLONING = new Set(['pnpm', 'bun']);

export const judgeStore: Judge = ({ stores }) => {
  const id = 'package-store';
  const title = 'Package store on the same volume';
  if (!stores.known) return { id, title, status: 'unknown', found: stores.why };
  if (stores.value.length === 0) {
    return { id, title, status: 'ok', found: 'no package manager that copies from a store is in use' };
  }
  const found = stores.value
    .map(({ manager, path, sameVolume }) => `${manager}: ${path}${sameVolume ? '' : ' (another volume)'}`)
    .join('; ');
  const apart = stores.value.filter(({ manager, sameVolume }) => CLONING.has(manager) && !sameVolume);
  if (apart.length === 0) return { id, title, status: 'ok', found };
  const pnpm = apart.some(({ manager }) => manager === 'pnpm');
  return {
    id,
    title,
    status: 'problem',
    found,
    cost: 'Files can not be cloned across volumes: each slot gets a full copy of its packages, in time and in space.',
    remedy: pnpm
      ? 'Put the store on the volume of the slots (`pnpm config set store-dir PATH`), or HEADWAY_HOME on that of the store.'
      : 'Set BUN_INSTALL_CACHE_DIR to a directory on the volume of the slots, or HEADWAY_HOME to one on that of the cache.',
  };
};

export const judgeReflinks: Judge = ({ reflinks, hardLinks, platform }) => {
  const id = 'reflinks';
  const title = 'Copies without copying';
  if (hardLinks.known && !hardLinks.value) {
    return {
      id,
      title,
      status: 'problem',
      found: 'neither reflinks nor hard links',
      cost: 'Every package of every slot is copied in full; git can not share objects by links.',
      remedy: 'Set HEADWAY_HOME to a volume with a native file system (ext4, xfs, btrfs, APFS, NTFS, ReFS).',
    };
  }
  if (!reflinks.known) return { id, title, status: 'unknown', found: reflinks.why };
  if (reflinks.value) return { id, title, status: 'ok', found: 'reflinks, tried' };
  // Nothing here relies on them: without, pnpm and bun copy what npm and yarn unpack.
  const links = hardLinks.known ? 'hard links, tried; no reflinks' : 'no reflinks';
  return { id, title, status: platform === 'win32' || hardLinks.known ? 'ok' : 'unknown', found: links };
};

export const judgeCase: Judge = ({ caseSensitive, repository }) => {
  const id = 'case';
  const title = 'Names that differ in case';
  if (!caseSensitive.known) return { id, title, status: 'unknown', found: caseSensitive.why };
  if (caseSensitive.value) return { id, title, status: 'ok', found: 'are different files' };
  const [twins] = repository?.caseTwins ?? [];
  if (!repository || !twins) {
    const checked = repository ? `; ${repository.name} has none` : '';
    return { id, title, status: 'ok', found: `are the same file${checked}` };
  }
  return {
    id,
    title,
    status: 'problem',
    found: `are the same file, and ${repository.name} has ${twins[0]} and ${twins[1]}`,
    cost: 'Only one of the two can be in a checkout; the other shows as changed, and a job that touches it is not to be trusted.',
    remedy: 'Rename one of them, or set HEADWAY_HOME to a case-sensitive volume.',
  };
};
