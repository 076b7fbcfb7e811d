/** Something wrong in a file, with the line that it stands in (1 is the first). */
export type Problem = { path: string; line: number; message: string };

/** The tree that a built-in step looks at. */
export type BuiltinTree = {
  /** Tracked files, sorted. */
  files: readonly string[];
  /** Text; undefined for what is no regular file, larger than 4 MB, or not UTF-8. */
  read(path: string): string | undefined;
  /** Lines that were added since the base, by file; undefined where the base is not known: then everything counts. */
  added: ReadonlyMap<string, readonly { line: number; text: string }[]> | undefined;
};

/** What a built-in step found. `looked` says at how much, in words; `count` zero means that it had nothing to look at. */
export type BuiltinResult = { problems: Problem[]; looked: string; count: number };

export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
