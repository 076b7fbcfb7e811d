export const BUILTIN_NAMES = ['markdown', 'data-files', 'merge-markers', 'secrets'] as const;

/** The built-in step that a command names (`builtin:markdown`); undefined for a command line. */
export const builtinName = (command: string): string | undefined =>
  /^builtin: ?([\w-]*)$/.exec(command.trim())?.[1];
