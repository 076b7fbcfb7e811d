import { z } from 'zod';
import type { FileSystem } from './facts.ts';

const findmntSchema = z.object({
  filesystems: z
    .array(
      z.object({ target: z.string(), source: z.string().nullish(), fstype: z.string(), options: z.string() }),
    )
    .min(1),
});

/** Pure: `findmnt -J -T PATH -o TARGET,SOURCE,FSTYPE,OPTIONS`. Mounts on top of each other are all listed; the last one is seen. */
export function parseFindmnt(stdout: string): FileSystem | undefined {
  try {
    const last = findmntSchema.parse(JSON.parse(stdout)).filesystems.at(-1);
    return (
      last && {
        type: last.fstype,
        mountPoint: last.target,
        source: last.source ?? '',
        options: last.options.split(','),
      }
    );
  } catch {
    return undefined;
  }
}

const unescapeMount = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const isBelow = (path: string, mountPoint: string): boolean =>
  path === mountPoint || path.startsWith(mountPoint === '/' ? '/' : `${mountPoint}/`);

/** Pure: the mount of `path` in `/proc/self/mountinfo`, where there is no findmnt: the deepest one, of equals the last. */
export function parseMountInfo(content: string, path: string): FileSystem | undefined {
  let best: FileSystem | undefined;
  for (const line of content.split('\n')) {
    const [head = '', tail = ''] = line.split(' - ');
    const [, , , , target, options] = head.split(' ');
    const [type, source] = tail.split(' ');
    if (!target || !type) continue;
    const mountPoint = unescapeMount(target);
    if (!isBelow(path, mountPoint) || mountPoint.length < (best?.mountPoint.length ?? 0)) continue;
    best = { type, mountPoint, source: unescapeMount(source ?? ''), options: (options ?? '').split(',') };
  }
  return best;
}

/** Pure: the mount of `path` in what macOS's `mount` prints: `SOURCE on TARGET (TYPE, OPTION, …)`. */
export function parseMacMount(stdout: string, path: string): FileSystem | undefined {
  let best: FileSystem | undefined;
  for (const line of stdout.split('\n')) {
    const match = /^(.*?) on (\/.*) \(([^()]*)\)$/.exec(line.trim());
    const [source = '', mountPoint = '', list = ''] = match?.slice(1) ?? [];
    const [type = '', ...options] = list.split(', ');
    if (!match || !isBelow(path, mountPoint) || mountPoint.length < (best?.mountPoint.length ?? 0)) continue;
    best = { type, mountPoint, source, options };
  }
  return best;
}

/** Pure: `mdutil -s VOLUME`. Undefined for any other words. */
export function parseMdutil(stdout: string): boolean | undefined {
  if (/^\s*Indexing enabled\.\s*$/m.test(stdout)) return true;
  if (/^\s*Indexing disabled\.\s*$/m.test(stdout)) return false;
  return undefined;
}

/** Pure: `tmutil isexcluded PATH`, true where it is part of backups. Its exit code is 0 in both cases. */
export function parseTmutil(stdout: string): boolean | undefined {
  const word = /^\[(Excluded|Included)\]\s+\//m.exec(stdout)?.[1];
  return word === undefined ? undefined : word === 'Included';
}

/** Pure: a number on its own, as files below /proc/sys hold it. */
export function parseCount(content: string): number | undefined {
  return /^\d+\s*$/.test(content) ? Number(content) : undefined;
}

/** Codes of a copy by reflink that the file system can't do; any other error says nothing about it. */
const NO_REFLINK = new Set(['ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'EINVAL', 'ENOSYS']);

/** Pure: what a failed attempt to clone a file says; undefined: nothing. */
export function reflinkError(code: string | undefined): false | undefined {
  return code !== undefined && NO_REFLINK.has(code) ? false : undefined;
}
