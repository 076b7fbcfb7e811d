import { join } from 'node:path';
import { git } from '../../git/git.ts';
import type { Environment } from '../../processes/environment.ts';
import { forgeEnvironment, forgeWords } from './forge-environment.ts';
import { type ForgeAnswer, type ForgeCalls, limited } from './gh.ts';

export type RemoteBranch = {
  /** The user's clone: its remotes, credentials and settings are used; nothing is written to it. */
  clonePath: string;
  /** Where the commit is. */
  mirrorPath: string;
  remote: string;
  branch: string;
  commit: string;
};

export type PushResult = { kind: 'pushed' | 'there' } | { kind: 'failed'; why: string };

/**
 * Makes the branch on the remote stand at the commit. What is there already is found and not pushed again; a branch that
 * stands at something else is moved only where that is one of `mine`.
 */
export async function pushBranch(
  target: RemoteBranch,
  mine: readonly string[],
  calls: ForgeCalls,
): Promise<PushResult> {
  const { clonePath, remote, branch, commit } = target;
  const found = await remoteCommit(clonePath, remote, branch, calls);
  if (!found.ok) return { kind: 'failed', why: found.why };
  const { address, commit: standing = '' } = found;
  if (standing === commit) return { kind: 'there' };
  if (standing !== '' && !mine.includes(standing)) {
    return {
      kind: 'failed',
      why: `${branch} on ${remote} holds a commit that is not Headway's: ${standing}`,
    };
  }
  const push = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--no-signed',
    '--recurse-submodules=no',
    `--force-with-lease=refs/heads/${branch}:${standing}`,
    '--',
    address, // not by the remote's name: git would write a remote-tracking branch into the user's clone
    `${commit}:refs/heads/${branch}`,
  ];
  const pushed = await remotely(push, clonePath, calls, {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(target.mirrorPath, 'objects'), // lent for this call
  });
  return pushed.ok ? { kind: 'pushed' } : { kind: 'failed', why: forgeWords(pushed.why) };
}

/** Where a branch stands on a remote; undefined: it is not there. */
export async function remoteCommit(
  clonePath: string,
  remote: string,
  branch: string,
  calls: ForgeCalls,
): Promise<{ ok: true; address: string; commit: string | undefined } | { ok: false; why: string }> {
  const address = await remoteAddress(clonePath, remote);
  if (address === undefined) return { ok: false, why: `${clonePath} has no remote ${remote}` };
  const listed = await remotely(
    ['ls-remote', '--heads', '--', address, `refs/heads/${branch}`],
    clonePath,
    calls,
  );
  if (!listed.ok) return { ok: false, why: listed.why };
  return { ok: true, address, commit: listed.stdout.split('\t')[0]?.trim() || undefined };
}

async function remoteAddress(clonePath: string, remote: string): Promise<string | undefined> {
  const { exit, stdout } = await git(['remote', 'get-url', '--push', '--', remote], {
    cwd: clonePath,
    ok: [0, 2, 128],
  });
  return exit === 0 ? stdout.trim() : undefined;
}

const ANY_EXIT = Array.from({ length: 256 }, (_, code) => code);

/** Git with the user's access, in turn with all other calls to a forge. */
async function remotely(
  args: readonly string[],
  clonePath: string,
  calls: ForgeCalls,
  extra: Environment = {},
): Promise<ForgeAnswer> {
  const ssh = await git(['config', '--get', 'core.sshCommand'], { cwd: clonePath, ok: [0, 1] });
  const command = ssh.stdout.trim();
  const env = forgeEnvironment({
    ...calls.marks,
    ...extra,
    ...(command === '' ? {} : { GIT_SSH_COMMAND: command }),
  });
  return limited(calls, async () => {
    const { exit, stdout, stderr } = await git(args, {
      cwd: clonePath,
      env,
      signal: calls.signal,
      ok: ANY_EXIT,
    });
    return { exit, stdout, output: `${stderr}\n${stdout}` };
  });
}
