import { posix } from 'node:path';

export const isMarkdown = (path: string): boolean => /\.(md|markdown|mdx)$/i.test(path);

/** Files by path and by name, without case, as note programs look for them. */
export class Places {
  readonly #paths = new Map<string, string>();
  readonly #names = new Map<string, string[]>();
  readonly #directories = new Set<string>(['']);

  constructor(files: readonly string[]) {
    for (const path of files) {
      this.#paths.set(path.toLowerCase(), path);
      const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
      for (const key of isMarkdown(name) ? [name, name.replace(/\.\w+$/, '')] : [name]) {
        const same = this.#names.get(key);
        if (same) same.push(path);
        else this.#names.set(key, [path]);
      }
      for (let dir = posix.dirname(path); dir !== '.'; dir = posix.dirname(dir))
        this.#directories.add(dir.toLowerCase());
    }
  }

  path(path: string): string | undefined {
    const low = path.toLowerCase();
    return (
      this.#paths.get(low) ??
      this.#paths.get(`${low}.md`) ??
      this.#paths.get(`${low}/readme.md`) ??
      this.#paths.get(`${low}/index.md`)
    );
  }

  isDirectory = (path: string): boolean => this.#directories.has(path.toLowerCase());

  /** Notes or files that a wikilink may mean: a path from the top or its end, or a name. */
  named(target: string): string[] {
    const exact = this.path(target);
    if (exact !== undefined) return [exact];
    const low = target.toLowerCase();
    const byName = this.#names.get(low.slice(low.lastIndexOf('/') + 1)) ?? [];
    return low.includes('/')
      ? byName.filter(
          (path) =>
            path
              .toLowerCase()
              .replace(/\.\w+$/, '')
              .endsWith(`/${low.replace(/\.md$/, '')}`) || path.toLowerCase().endsWith(`/${low}`),
        )
      : byName;
  }
}

/**
 * A set of notes that look for each other by name: an Obsidian vault, which is a directory with `.obsidian` in it, or what is in no vault of a
 * repository.
 */
export class Vault {
  readonly #places: Places;
  /** Directory, with a slash behind it; '' is the top. */
  readonly #top: string;
  readonly isObsidian: boolean;

  constructor(top: string, isObsidian: boolean, files: readonly string[]) {
    this.#top = top;
    this.isObsidian = isObsidian;
    this.#places = new Places(
      files.filter((path) => path.startsWith(top)).map((path) => path.slice(top.length)),
    );
  }

  /** A path from the top of the vault. */
  path(path: string): string | undefined {
    const found = this.#places.path(path);
    return found === undefined ? undefined : this.#top + found;
  }

  named = (target: string): string[] => this.#places.named(target).map((path) => this.#top + path);
}

/** The vault of each note: that of the nearest directory above it that is one. */
export function vaultsOf(files: readonly string[]): (path: string) => Vault {
  const tops = new Set(
    files.flatMap(
      (path) => /^(?:(.*)\/)?\.obsidian\//.exec(path)?.[1] ?? (path.startsWith('.obsidian/') ? [''] : []),
    ),
  );
  const vaults = new Map<string, Vault>();
  const vault = (dir: string, isObsidian: boolean): Vault => {
    const top = dir === '' ? '' : `${dir}/`;
    const known = vaults.get(top);
    if (known) return known;
    const made = new Vault(top, isObsidian, files);
    vaults.set(top, made);
    return made;
  };
  return (path) => {
    let dir = path;
    while (dir !== '') {
      dir = dir.slice(0, Math.max(0, dir.lastIndexOf('/')));
      if (tops.has(dir)) return vault(dir, true);
    }
    return vault('', false);
  };
}
