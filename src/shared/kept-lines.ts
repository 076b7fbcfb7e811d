/** What of xterm.js is asked here. */
interface WatchedTerminal {
  readonly rows: number;
  readonly options: { readonly scrollback?: number };
  readonly buffer: { readonly active: { readonly type: string } };
  readonly parser: {
    registerCsiHandler(id: { final: string }, handler: (params: (number | number[])[]) => boolean): unknown;
  };
}

/**
 * Behind how many lines nothing is left of what stood before them: the scrollback and twice the screen, at whose top the cursor
 * may be. Undefined where the program has set a scroll region: what stands outside of it stays.
 */
export function keptLinesOf(terminal: WatchedTerminal): () => number | undefined {
  /** The screens, normal and alternate, that have a region of their own. */
  const regions = new Set<string>();
  terminal.parser.registerCsiHandler({ final: 'r' }, ([top, bottom]) => {
    const upper = Number(top ?? 0);
    const lower = Number(bottom ?? 0);
    const { type } = terminal.buffer.active;
    if (upper > 1 || (lower > 0 && lower < terminal.rows)) regions.add(type);
    else regions.delete(type);
    // The terminal does what it was asked for all the same.
    return false;
  });
  return () =>
    regions.has(terminal.buffer.active.type)
      ? undefined
      : (terminal.options.scrollback ?? 0) + 2 * terminal.rows;
}
