/*
 * Process trees that this process has started and not yet seen end. However it leaves while it still can act (a second
 * Ctrl-C, an error that nobody caught), they leave with it. After a kill -9 the next start ends them.
 */

const roots = new Set<number>();
let isWatched = false;

/** `pid`: the first process of the tree, and on POSIX of its group. Dispose of it when the tree has ended. */
export function liveTree(pid: number): Disposable {
  if (!isWatched) process.on('exit', endAll);
  isWatched = true;
  roots.add(pid);
  return { [Symbol.dispose]: () => void roots.delete(pid) };
}

/** Nothing can be awaited any more: by force, group and process. A process namespace ends with its first process. */
function endAll(): void {
  for (const pid of roots) {
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // gone, or (on Windows) there is no such group
      }
    }
  }
}
