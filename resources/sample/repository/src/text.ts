/** One spelling of a text for every reader: line ends are LF. */
export function normalizeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

/** The lines of a text. A line end at the very end begins no further line. */
export function splitLines(text: string): string[] {
  const normal = normalizeText(text);
  if (normal === '') return [];
  return (normal.endsWith('\n') ? normal.slice(0, -1) : normal).split('\n');
}
