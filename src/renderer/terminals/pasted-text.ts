/** Tab and line ends are text. All else below space, DEL and the C1 controls (8-bit CSI among them) can steer a terminal. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** They are not seen, or turn the text around them: what is read would not be what is pasted. */
const UNSEEN =
  /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e007f}]/gu;

export type PastedText = {
  text: string;
  /** So many control characters were taken out. */
  removed: number;
  /** It ends a line, so that a shell which takes it as typed runs it. */
  endsLine: boolean;
};

/**
 * What may be pasted of a text that comes from anywhere. Without its control characters it can't end a bracketed paste, and it
 * is neither a key nor a sequence.
 */
export function pastedText(given: string): PastedText {
  const text = given.replace(CONTROLS, '');
  return { text, removed: given.length - text.length, endsLine: /[\r\n]/.test(text) };
}

/** The lines of a text that is shown before it is pasted; what can't be seen stands there by its code. */
export function shownLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) =>
    line.replace(
      UNSEEN,
      (char) => `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
    ),
  );
}

export const removedText = (removed: number): string =>
  `${removed === 1 ? '1 control character was' : `${removed} control characters were`} left out.`;
