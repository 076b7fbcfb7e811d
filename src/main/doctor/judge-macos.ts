import type { Judge } from './finding.ts';

export const judgeSpotlight: Judge = ({ macos, root }) => {
  if (!macos) return undefined;
  const id = 'spotlight';
  const title = 'Spotlight stays out';
  if (!macos.indexing.known) return { id, title, status: 'unknown', found: macos.indexing.why };
  if (!macos.indexing.value) return { id, title, status: 'ok', found: 'the volume is not indexed' };
  if (macos.marked) {
    return {
      id,
      title,
      status: 'ok',
      found: 'the volume is indexed, and the slots are marked not to be (.metadata_never_index)',
    };
  }
  return {
    id,
    title,
    status: 'problem',
    found: 'the volume is indexed, and nothing keeps the slots out',
    cost: 'Each install and each checkout is read again by the indexer, on the same disk and the same cores as the agents.',
    remedy:
      'Add the folder in System Settings → Spotlight → Search Privacy, which is sure to work; or mark it with a file, which works in many versions of macOS.',
    fix: { kind: 'command', file: 'touch', args: [`${root}/.metadata_never_index`], elevated: false },
  };
};

export const judgeTimeMachine: Judge = ({ macos, root }) => {
  if (!macos) return undefined;
  const id = 'time-machine';
  const title = 'Time Machine stays out';
  if (!macos.backedUp.known) return { id, title, status: 'unknown', found: macos.backedUp.why };
  if (!macos.backedUp.value) return { id, title, status: 'ok', found: 'the slots are excluded from backups' };
  return {
    id,
    title,
    status: 'problem',
    found: 'the slots are part of backups',
    cost: 'Each backup copies hundreds of thousands of files that can be made again, and local snapshots keep deleted slots on the disk.',
    remedy: 'Exclude the folder; its contents can all be made again.',
    fix: { kind: 'command', file: 'tmutil', args: ['addexclusion', root], elevated: false },
  };
};
