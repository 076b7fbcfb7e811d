import type { GateStep } from '../../../shared/domain.ts';
import { keysOverlap, pathKeys } from '../../paths/paths.ts';
import { builtinName } from '../builtin/names.ts';

type Part = Pick<GateStep, 'name' | 'command' | 'reads' | 'writes' | 'after'>;

/** Where a glob may match, as the segments before its first wildcard. */
function fixedPrefix(glob: string): string[] {
  const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
  const wild = parts.findIndex((part) => /[*?{}[\]()]/.test(part));
  return pathKeys((wild < 0 ? parts : parts.slice(0, wild)).join('/')).filter((key) => key !== '');
}

/** True where two globs, from the top, may mean the same path; rather once too often than once too seldom. */
function mayMeet(one: string, other: string): boolean {
  const [a, b] = [fixedPrefix(one), fixedPrefix(other)];
  return a.length === 0 || b.length === 0 || keysOverlap(a, b);
}

export const meetsAny = (path: string, globs: readonly string[]): boolean =>
  globs.some((glob) => mayMeet(path, glob));

/** What a step says that it writes; undefined: it may write anything. Built-in steps write nothing. */
export const writesOf = (step: Pick<Part, 'command' | 'writes'>): readonly string[] | undefined =>
  step.writes ?? (builtinName(step.command) === undefined ? undefined : []);

/** May one of the steps see, or spoil, what the other one writes? */
export function mayTouch(writer: Part, other: Part): boolean {
  const writes = writesOf(writer);
  if (writes?.length === 0) return false;
  const touched = [...(other.reads ?? ['**']), ...(writesOf(other) ?? ['**'])];
  return (writes ?? ['**']).some((glob) => meetsAny(glob, touched));
}

/** Both say what they write, neither touches what the other one writes, and none asked to come after the other. */
const mayRunBeside = (earlier: Part, later: Part): boolean =>
  writesOf(earlier) !== undefined &&
  writesOf(later) !== undefined &&
  !mayTouch(earlier, later) &&
  !mayTouch(later, earlier) &&
  later.after?.includes(earlier.name) !== true;

/**
 * Pure: for each step the earlier ones that must be green before it starts. Steps are in order as written unless the policy
 * declares enough to know that they are independent.
 */
export function stepOrder(steps: readonly Part[]): number[][] {
  return steps.map((later, at) =>
    [...steps.slice(0, at).entries()]
      .filter(([, earlier]) => !mayRunBeside(earlier, later))
      .map(([index]) => index),
  );
}
