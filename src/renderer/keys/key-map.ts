/** Keys of the window as data: one table for the handler, the palette and the hints. */
export type KeyContext = { mac: boolean; focus: 'terminal' | 'text' | 'list' | 'other' };

export type KeyPress = {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
};

/** `mod` is Cmd on a Mac, else Ctrl. `code` is the physical key, so Shift and layouts do not matter for digits. */
export type Chord = { mod?: boolean; shift?: boolean; alt?: boolean; code: string };

export const KEYS = {
  palette: { mod: true, code: 'KeyK' },
  'pane.maximise': { mod: true, code: 'Enter' },
  'terminal.new': { mod: true, code: 'KeyT' },
  'tickets.new': { mod: true, code: 'KeyN' },
  'pane.search': { mod: true, code: 'KeyF' },
  'slots.warm': { mod: true, shift: true, code: 'KeyW' },
  'pane.close': { mod: true, code: 'KeyW' },
  'focus.queue': { mod: true, code: 'KeyE' },
  'inspector.toggle': { mod: true, code: 'KeyI' },
  'terminal.copy': { mod: true, shift: true, code: 'KeyC' },
  'terminal.paste': { mod: true, shift: true, code: 'KeyV' },
  'pane.move-left': { mod: true, shift: true, code: 'ArrowLeft' },
  'pane.move-right': { mod: true, shift: true, code: 'ArrowRight' },
  'pane.move-up': { mod: true, shift: true, code: 'ArrowUp' },
  'pane.move-down': { mod: true, shift: true, code: 'ArrowDown' },
  'pane.split-right': { mod: true, code: 'Backslash' },
  'pane.split-down': { mod: true, shift: true, code: 'Backslash' },
  'view.run': { alt: true, code: 'Digit1' },
  'view.slots': { alt: true, code: 'Digit2' },
  'view.gate': { alt: true, code: 'Digit3' },
  'view.ceiling': { alt: true, code: 'Digit4' },
  'view.report': { alt: true, code: 'Digit5' },
  'view.settings': { alt: true, code: 'Digit6' },
  // A browser keeps Ctrl+T, Ctrl+N and Ctrl+W for itself: these reach the page there too.
  'terminal.new-alternative': { alt: true, code: 'KeyT' },
  'tickets.new-alternative': { alt: true, code: 'KeyN' },
  'slots.warm-alternative': { alt: true, code: 'KeyW' },
  'pane.close-alternative': { alt: true, code: 'KeyC' },
} as const satisfies Record<string, Chord>;

export type KeyedAction = Exclude<keyof typeof KEYS, `${string}-alternative`>;
export type KeyCommand =
  | { kind: 'action'; id: KeyedAction }
  | { kind: 'pane'; index: number }
  | { kind: 'step'; step: 1 | -1 }
  | { kind: 'back' };

/**
 * What a key press means here; undefined: it is not ours. A terminal with focus gets every key but those with
 * Ctrl+Shift or Cmd: there Ctrl+Shift+key stands for Ctrl+key.
 */
export function resolveKey(press: KeyPress, context: KeyContext): KeyCommand | undefined {
  const mod = context.mac ? press.metaKey && !press.ctrlKey : press.ctrlKey && !press.metaKey;
  const inTerminal = context.focus === 'terminal';
  if (inTerminal && !(mod && (context.mac || press.shiftKey))) return undefined;
  const exact = find({ mod, shift: press.shiftKey, alt: press.altKey, code: press.code }, context);
  if (exact) return exact;
  if (mod && press.shiftKey && !press.altKey) {
    const plain = find({ mod, shift: false, alt: false, code: press.code }, context);
    if (plain) return plain;
  }
  if (mod || press.altKey || press.ctrlKey || press.metaKey || context.focus === 'text') return undefined;
  if (press.key === 'Escape') return { kind: 'back' };
  if (press.key === 'j' || press.key === 'J') return { kind: 'step', step: 1 };
  if (press.key === 'k' || press.key === 'K') return { kind: 'step', step: -1 };
  return undefined;
}

function find(pressed: Required<Chord>, context: KeyContext): KeyCommand | undefined {
  const digit = /^Digit([1-9])$/.exec(pressed.code)?.[1];
  if (digit !== undefined && pressed.mod && !pressed.shift && !pressed.alt) {
    return { kind: 'pane', index: Number(digit) - 1 };
  }
  for (const [id, chord] of Object.entries(KEYS) as [keyof typeof KEYS, Chord][]) {
    if (chord.code !== pressed.code || (chord.mod ?? false) !== pressed.mod) continue;
    if ((chord.shift ?? false) !== pressed.shift || (chord.alt ?? false) !== pressed.alt) continue;
    // On a Mac Option types characters; views are reached by the palette while a text field has focus.
    if (chord.alt && context.focus === 'text') continue;
    return { kind: 'action', id: id.replace(/-alternative$/, '') as KeyedAction };
  }
  return undefined;
}

const NAMES: Record<string, string> = {
  Enter: '↵',
  Backslash: '\\',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

/** The key that is shown for an action: in a browser the one that the browser lets through. */
export function chordOf(id: KeyedAction, inBrowser: boolean): Chord {
  const alternative: Chord | undefined = (KEYS as Record<string, Chord>)[`${id}-alternative`];
  return inBrowser && alternative ? alternative : KEYS[id];
}

/** `Ctrl+Shift+W`, or `⇧⌘W` on a Mac. */
export function keyLabel(chord: Chord, mac: boolean): string {
  const key = NAMES[chord.code] ?? chord.code.replace(/^(Key|Digit)/, '');
  if (mac) return `${chord.alt ? '⌥' : ''}${chord.shift ? '⇧' : ''}${chord.mod ? '⌘' : ''}${key}`;
  return [chord.mod && 'Ctrl', chord.alt && 'Alt', chord.shift && 'Shift', key].filter(Boolean).join('+');
}
