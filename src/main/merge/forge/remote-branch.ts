import { join } from 'node:path';
import { git } from '../../git/git.ts';
import type { Environment } from '../../processes/environment.ts';
import { forgeEnvironment, forgeWords } from './forge-environment.ts';
import { type ForgeCalls, limited } from './gh.ts';

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
  const address = await remoteAddress(clonePath, remote);
  if (address === undefined) return { kind: 'failed', why: `${clonePath} has no remote ${remote}` };
  const env = await pushEnvironment(target);
  const remotely = (args: readonly string[]) =>
    limited(calls, async () => {
      const { exit, stdout, stderr } = await git(args, {
        cwd: clonePath,
        env,
        signal: calls.signal,
        ok: Array.from({ length: 256 }, (_, code) => code),
      });
      return { exit, stdout, output: `${stderr}\n${stdout}` };
    });
  const listed = await remotely(['ls-remote', '--heads', '--', address, `refs/heads/${branch}`]);
  if (!listed.ok) return { kind: 'failed', why: listed.why };
  const standing = listed.stdout.split('\t')[0]?.trim() ?? '';
  if (standing === commit) return { kind: 'there' };
  if (standing !== '' && !mine.includes(standing)) {
    return {
      kind: 'failed',
      why: `${branch} on ${remote} holds a commit that is not Headway's: ${standing}`,
    };
  }
  const pushed = await remotely([
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
  ]);
  return pushed.ok ? { kind: 'pushed' } : { kind: 'failed', why: forgeWords(pushed.why) };
}

async function remoteAddress(clonePath: string, remote: string): Promise<string | undefined> {
  const { exit, stdout } = await git(['remote', 'get-url', '--push', '--', remote], {
    cwd: clonePath,
    ok: [0, 2, 128],
  });
  return exit === 0 ? stdout.trim() : undefined;
}

/** The user's access, and the mirror's objects lent to their clone for this call. */
async function pushEnvironment({ clonePath, mirrorPath }: RemoteBranch): Promise<Environment> {
  const ssh = await git(['config', '--get', 'core.sshCommand'], { cwd: clonePath, ok: [0, 1] });
  const command = ssh.stdout.trim();
  return forgeEnvironment({
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(mirrorPath, 'objects'),
    ...(command === '' ? {} : { GIT_SSH_COMMAND: command }),
  });
}
