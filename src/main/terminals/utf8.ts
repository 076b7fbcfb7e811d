/**
 * How many of the first `bytes` end with a whole character: their length, less an unfinished UTF-8 sequence at the end (at
 * most 3 bytes). What is no UTF-8 counts as whole.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? length - back : length;
  }
  return length;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf8) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** The first offset at or after `from` where a character begins. */
export function characterStart(bytes: Uint8Array, from: number): number {
  let offset = from;
  while (offset < bytes.length && offset < from + 3 && ((bytes[offset] ?? 0) & 0xc0) === 0x80) offset += 1;
  return offset;
}
