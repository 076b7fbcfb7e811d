import type { Tree } from './commit-tree.ts';
import type { Invocation, Package } from './invocations.ts';
import type { TypescriptApi } from './typescript.ts';

/** A runner's own rules about one file: undefined means picked up, else why not. */
export type Selection = {
  source: string;
  unread?: string;
  slotPattern?: string;
  whyNot(path: string): string | undefined;
};

export type TestContext = {
  ts: TypescriptApi;
  tree: Tree;
  packages: readonly Package[];
  invocation: Invocation;
  /** What the gate's compilers make of sources: tests are often run from there. */
  outputs: ReadonlyMap<string, string>;
  /** Directory below which slots of this repository lie. */
  slotRoot: string;
};
