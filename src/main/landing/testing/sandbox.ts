import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { git, gitLine } from '../../git/git.ts';

export const IDENTITY = { name: 'Headway', email: 'headway@localhost' };
const AS = [
  '-c',
  'user.name=A Person',
  '-c',
  'user.email=person@example.com',
  '-c',
  'init.defaultBranch=main',
  '-c',
  'commit.gpgSign=false',
];

/** A temporary directory with a user's repository and slots that borrow from a mirror of it, as in the product. */
export class Sandbox implements AsyncDisposable {
  readonly root: string;
  readonly repo: string;
  #slots = 0;

  private constructor(root: string, repo: string) {
    this.root = root;
    this.repo = repo;
  }

  /** `name` is the directory name of the repository. */
  static async create(files: Record<string, string> = { 'a.txt': 'a\n' }, name = 'repo'): Promise<Sandbox> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'headway-merge-')));
    const sandbox = new Sandbox(root, join(root, name));
    await mkdir(sandbox.repo, { recursive: true });
    await sandbox.git(sandbox.repo, 'init', '--quiet');
    await sandbox.commit(sandbox.repo, files, 'first');
    return sandbox;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  async git(cwd: string, ...args: string[]): Promise<string> {
    return gitLine([...AS, ...args], { cwd });
  }

  tip(cwd: string, revision = 'HEAD'): Promise<string> {
    return this.git(cwd, 'rev-parse', revision);
  }

  async write(cwd: string, files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), text);
    }
  }

  read(cwd: string, path: string): Promise<string> {
    return readFile(join(cwd, path), 'utf8');
  }

  async commit(cwd: string, files: Record<string, string>, message: string): Promise<string> {
    await this.write(cwd, files);
    await this.git(cwd, 'add', '--all');
    await this.git(cwd, 'commit', '--quiet', '--allow-empty', '-m', message);
    return this.tip(cwd);
  }

  async mirror(): Promise<string> {
    const mirror = join(this.root, 'mirror.git');
    await git(['init', '--quiet', '--bare', mirror], { cwd: this.root });
    await git(['fetch', '--quiet', this.repo, '+refs/heads/*:refs/heads/*'], { cwd: mirror });
    return mirror;
  }

  /** A fresh slot on the tip of the user's main branch. */
  async slot(): Promise<string> {
    const mirror = await this.mirror();
    this.#slots += 1;
    const slot = join(this.root, `slot ${this.#slots}`);
    await git(['clone', '--quiet', '--shared', '--branch', 'main', mirror, slot], { cwd: this.root });
    return slot;
  }

  async hook(name: string, script: string): Promise<void> {
    const path = join(this.repo, '.git', 'hooks', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  }
}
