import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A temporary directory for one test, with files and repositories in it. */
export class Scratch {
  readonly root: string;
  /** A data directory in it, not yet made. */
  readonly home: string;

  constructor(name: string) {
    this.root = mkdtempSync(join(tmpdir(), `${name}-`));
    this.home = join(this.root, 'home');
  }

  write(path: string, text: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  git(dir: string, ...args: string[]): string {
    return execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' }).trim();
  }

  /** A repository with these files in one commit on `main`. */
  repository(name: string, files: Record<string, string>): string {
    const dir = join(this.root, name);
    mkdirSync(dir, { recursive: true });
    this.git(dir, 'init', '-q', '-b', 'main');
    this.git(dir, 'config', 'user.name', 'Test');
    this.git(dir, 'config', 'user.email', 'test@example.invalid');
    for (const [path, text] of Object.entries(files)) this.write(join(name, path), text);
    this.git(dir, 'add', '-A');
    this.git(dir, 'commit', '-q', '-m', 'base');
    return dir;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
