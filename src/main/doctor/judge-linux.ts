import type { Judge } from './finding.ts';

/** A watcher of a medium repository without node_modules takes some thousand. */
const FEW_WATCHES = 100_000;
const GOOD_WATCHES = 524_288;
/** One a watching program, and each agent may start several. */
const FEW_INSTANCES = 256;
const GOOD_INSTANCES = 1024;

const raise = (name: string, value: number) =>
  ({
    kind: 'command',
    file: 'sh',
    args: [
      '-c',
      `echo fs.inotify.${name}=${value} > /etc/sysctl.d/60-headway-${name.replaceAll('_', '-')}.conf && sysctl -w fs.inotify.${name}=${value}`,
    ],
    elevated: true,
  }) as const;

export const judgeWatches: Judge = ({ linux }) => {
  if (!linux) return undefined;
  const id = 'inotify-watches';
  const title = 'Files that can be watched';
  if (!linux.maxWatches.known) return { id, title, status: 'unknown', found: linux.maxWatches.why };
  const { value } = linux.maxWatches;
  if (value >= FEW_WATCHES) return { id, title, status: 'ok', found: `${value}` };
  return {
    id,
    title,
    status: 'problem',
    found: `${value} (fs.inotify.max_user_watches), for all programs of a user together`,
    cost: 'Development servers and test watchers fail with ENOSPC, "no space left on device", on a disk that is not full.',
    remedy: `Raise it to ${GOOD_WATCHES}; a watch takes about 1 KiB of memory once it is used.`,
    fix: raise('max_user_watches', GOOD_WATCHES),
  };
};

export const judgeInstances: Judge = ({ linux }) => {
  if (!linux) return undefined;
  const id = 'inotify-instances';
  const title = 'Programs that can watch';
  if (!linux.maxInstances.known) return { id, title, status: 'unknown', found: linux.maxInstances.why };
  const { value } = linux.maxInstances;
  if (value >= FEW_INSTANCES) return { id, title, status: 'ok', found: `${value}` };
  return {
    id,
    title,
    status: 'problem',
    found: `${value} (fs.inotify.max_user_instances), for all programs of a user together`,
    cost: 'Many agents at once reach it first: the next watcher fails with EMFILE, "too many open files".',
    remedy: `Raise it to ${GOOD_INSTANCES}; it costs nothing until it is used.`,
    fix: raise('max_user_instances', GOOD_INSTANCES),
  };
};
