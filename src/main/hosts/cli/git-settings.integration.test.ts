import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place, scripted } from './testing/headway.ts';

/*
 * What a person may have set, for all their repositories or in this one. Each of these broke or changed a git call of
 * Headway's once, or would where a call forgot to say what it means. By subject, as `git help config` lists them.
 */
const FOR_ALL = `
[core]
  abbrev = 4
  askPass = false
  attributesFile = /nonexistent
  autocrlf = input
  commentChar = ";"
  editor = false
  eol = crlf
  excludesFile = /nonexistent
  fsmonitor = true
  hooksPath = /nonexistent
  ignoreCase = true
  logAllRefUpdates = always
  pager = false
  quotePath = true
  safecrlf = true
  sharedRepository = group
  sparseCheckout = true
  splitIndex = true
  sshCommand = false
  untrackedCache = true
  whitespace = fix
[alias]
  commit = !false
  fetch = !false
  push = !false
  status = !false
[branch]
  autoSetupMerge = always
[checkout]
  guess = false
[color]
  ui = always
[commit]
  cleanup = scissors
  gpgSign = true
  template = /nonexistent
  verbose = true
[diff]
  external = false
  ignoreSubmodules = all
  mnemonicPrefix = true
  noprefix = true
  relative = true
  renames = false
  submodule = log
[feature]
  experimental = true
  manyFiles = true
[fetch]
  fsckObjects = true
  prune = true
  pruneTags = true
  recurseSubmodules = true
[filter "lfs"]
  clean = false
  required = true
  smudge = false
[format]
  pretty = oneline
[gc]
  auto = 1
  autoDetach = false
[gpg]
  format = ssh
  program = false
[i18n]
  commitEncoding = latin1
  logOutputEncoding = latin1
[index]
  sparse = true
  version = 4
[init]
  defaultBranch = trunk
  templateDir = /nonexistent
[log]
  date = relative
  decorate = full
  showSignature = true
[maintenance]
  auto = true
[merge]
  conflictStyle = zdiff3
  ff = only
  renames = false
  verifySignatures = true
[protocol]
  allow = never
[protocol "file"]
  allow = never
[pull]
  rebase = true
[push]
  default = nothing
  followTags = true
  gpgSign = true
  recurseSubmodules = check
[receive]
  denyCurrentBranch = refuse
  denyDeletes = true
  denyNonFastForwards = true
  fsckObjects = true
  hideRefs = refs/heads
[safe]
  bareRepository = explicit
[status]
  branch = true
  short = true
  showUntrackedFiles = no
[submodule]
  recurse = true
[tag]
  gpgSign = true
[trailer]
  separators = "="
  where = start
[transfer]
  fsckObjects = true
  hideRefs = refs/heads
[uploadpack]
  hideRefs = refs/heads
[url "/nonexistent/"]
  insteadOf = /
  pushInsteadOf = /
[user]
  useConfigOnly = true
`;
const IN_THE_CLONE = [
  ['receive.denyCurrentBranch', 'refuse'],
  ['receive.hideRefs', 'refs/heads/main'],
  ['transfer.hideRefs', 'refs/heads'],
  ['uploadpack.hideRefs', 'refs/heads/main'],
  ['branch.main.rebase', 'true'],
  ['branch.main.mergeOptions', '--no-ff'],
  ['remote.origin.url', '/nonexistent'],
] as const;

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

describe.runIf(process.platform !== 'win32')("a person's settings of git", () => {
  it('change nothing of what two jobs make, merge and land, and of taking saved work', async () => {
    const repo = place.repository('repo', { 'a.txt': 'a\n', 'ü b.txt': 'x\n' });
    for (const [key, value] of IN_THE_CLONE) place.git(repo, 'config', key, value);
    const write = (path: string, content: string) => ({ append: { path, content } });
    const tickets = place.tickets('tickets', {
      A: scripted({ id: 'A', paths: ['a.txt', 'new.txt'] }, [write('a.txt', 'A\n'), write('new.txt', 'A\n')]),
      B: scripted({ id: 'B', paths: ['ü b.txt'] }, [write('ü b.txt', 'B\n')]),
      C: scripted({ id: 'C', paths: ['c.txt'] }, [write('c.txt', 'C\n'), { exit: 3 }]),
    });
    place.env.HOME = place.root;
    writeFileSync(join(place.root, '.gitconfig'), FOR_ALL);
    const result = await place.run('run', '--repo', repo, '--tickets', tickets, '--gate', 'grep -q . a.txt');
    expect([result.error, result.stderr]).toEqual([undefined, '']);
    expect(result.summary).toMatchObject({
      A: { state: 'merged' },
      B: { state: 'merged' },
      C: { state: 'failed' },
    });
    const kept = (await place.run('saved')).lines[0] as unknown as {
      kept: { ref: string; landed: boolean }[];
    };
    const ref = kept.kept.find(({ landed }) => !landed)?.ref ?? '';
    expect((await place.run('saved', 'recover', ref, '--branch', 'saved')).exit).toBe(0);
    expect(place.git(repo, '-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'main')).toBe(
      'a.txt\nnew.txt\nü b.txt',
    );
    expect(place.git(repo, 'show', 'main:ü b.txt')).toBe('x\nB');
    expect(place.git(repo, 'show', 'saved:c.txt')).toBe('C');
    expect(place.git(repo, 'status', '--porcelain')).toBe('');
  });
});
