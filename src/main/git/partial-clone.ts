import { git } from './git.ts';

/** Made with `git clone --filter`: parts of its history stay with its remote until somebody needs them. */
export async function isPartialClone(path: string): Promise<boolean> {
  const promisors = ['config', '--get-regexp', '^remote\\..*\\.promisor$', 'true'];
  return (await git(promisors, { cwd: path, ok: [0, 1] })).stdout !== '';
}
