import type { Reads } from './areas.ts';
import type { Reach } from './facts.ts';

/** Pure: what the commands read of a file. Where one of them can't be told to leave it out, nobody knows. */
export function gateReads({ typechecks, lints, tests, otherTestDirs }: Reach): Reads {
  const known = (isRead: boolean, isOpen: boolean): boolean | undefined =>
    isRead ? true : isOpen ? undefined : false;
  const inside = (dir: string, path: string): boolean => dir === '' || path.startsWith(`${dir}/`);
  const open = {
    typecheck: typechecks.some(({ unread }) => unread !== undefined),
    lint: lints.some(({ unread }) => unread !== undefined),
    test: tests.some(({ unread }) => unread !== undefined),
  };
  return {
    typechecked: (path) =>
      known(
        typechecks.some(({ covered }) => covered.has(path)),
        open.typecheck,
      ),
    linted: (path) =>
      known(
        lints.some((lint) => lint.unread === undefined && lint.whyNot(path) === undefined),
        open.lint,
      ),
    tested: (path) =>
      known(
        tests.some(({ collected }) => collected.has(path)),
        open.test || otherTestDirs.some((dir) => inside(dir, path)),
      ),
  };
}
