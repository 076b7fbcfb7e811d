/** What a key of the front matter holds, whichever language it is written in; a line for each thing that a problem may be about. */
export type FieldValue =
  | { kind: 'text'; text: string }
  /** Items that are no text are undefined. */
  | { kind: 'list'; items: { text: string | undefined; line: number }[] }
  | { kind: 'empty' }
  | { kind: 'other' };

export type Field = { key: string; line: number; value: FieldValue };

export type LineProblem = { line: number; message: string };

export type Fields = { fields: Field[]; problems: LineProblem[] };
