/** What the command line's exit code says; `docs/command-line.md` holds the same table. */
export const EXIT = {
  ok: 0,
  /** Some job is not merged; or the command could not do what it was asked. */
  notDone: 1,
  /** Bad usage or input: nothing was started. */
  usage: 2,
  /** Ended by Ctrl-C; jobs that ran are queued again. */
  interrupted: 130,
} as const;
