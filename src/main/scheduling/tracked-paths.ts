/** The files of a repository (relative, with `/`, as `git ls-files` lists them) and all directories above them. */
export function trackedPaths(files: Iterable<string>): ReadonlySet<string> {
  const tracked = new Set<string>();
  for (const file of files) {
    tracked.add(file);
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const directory = file.slice(0, at);
      if (tracked.has(directory)) break;
      tracked.add(directory);
    }
  }
  return tracked;
}
