import type { Answer } from './answer.ts';
import type { WindowsFacts } from './windows-facts.ts';

export type Space = {
  freeBytes: number;
  totalBytes: number;
  /** Undefined where the file system has no fixed number of them. */
  inodes?: { free: number; total: number };
};

export type FileSystem = { type: string; mountPoint: string; source: string; options: readonly string[] };

/** Where a package manager keeps what slots are installed from. */
export type Store = { manager: string; path: string; sameVolume: boolean };

export type LinuxFacts = {
  maxWatches: Answer<number>;
  maxInstances: Answer<number>;
};

export type MacFacts = {
  /** Of the whole volume. */
  indexing: Answer<boolean>;
  /** The root asks not to be indexed. */
  marked: boolean;
  backedUp: Answer<boolean>;
};

/** What was found out about the place where slots lie. Collectors fill it, judges read it, and nothing else passes between. */
export type Facts = {
  platform: string;
  /** Real path. */
  root: string;
  space: Answer<Space>;
  fileSystem: Answer<FileSystem>;
  caseSensitive: Answer<boolean>;
  hardLinks: Answer<boolean>;
  reflinks: Answer<boolean>;
  /** Programs can be started from there. */
  executable: Answer<boolean>;
  stores: Answer<readonly Store[]>;
  /** The repository that was named. */
  repository?: { name: string; longestPath: number; caseTwins: readonly (readonly [string, string])[] };
  linux?: LinuxFacts;
  macos?: MacFacts;
  windows?: WindowsFacts;
};
