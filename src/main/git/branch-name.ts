import { HeadwayError } from '../../shared/errors.ts';

/**
 * Throws `bad-input` for what can't name a branch that Headway makes. Stricter than git: a name that begins like a full
 * reference makes another branch than it seems to, and what a shell would read as its own does harm when it is pasted.
 */
export function assertBranchName(branch: string): void {
  const why = reasonAgainst(branch);
  if (why === undefined) return;
  throw new HeadwayError('bad-input', `${JSON.stringify(branch.slice(0, 80))} can't name a branch: ${why}.`);
}

function reasonAgainst(branch: string): string | undefined {
  if (branch === '') return 'it is empty';
  if (branch.length > 200) return 'it is longer than 200 characters';
  if (/^(refs|heads|tags|remotes)(\/|$)/i.test(branch))
    return 'it begins like a full reference; leave refs/heads/ out';
  if (/^HEAD$/i.test(branch)) return 'git means something else by it';
  const odd = /[^\p{L}\p{M}\p{N}._/+@#=,-]/u.exec(branch)?.[0];
  if (odd !== undefined) return `${JSON.stringify(odd)} may not be in it`;
  if (!/^[\p{L}\p{N}]/u.test(branch)) return 'it must begin with a letter or a digit';
  if (/\.\.|\/\/|\/[.-]|\.\/|\.lock(\/|$)|[./]$/i.test(branch))
    return 'git allows no "..", "//", "/." or ".lock" in it, and no "." or "/" at its end';
  return undefined;
}
