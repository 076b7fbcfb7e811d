/** Memory that output passes through: what a flood throws away would keep the garbage collector, and its threads, busy. */
export const BLOCK_BYTES = 64 * 1024;

const MAX_FREE = 64;
const free: Buffer[] = [];

/** A block to be filled; what is in it is left from before. */
export const takeBlock = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);

/** Nothing may look at the block any more. */
export function giveBlock(block: Buffer): void {
  if (free.length < MAX_FREE) free.push(block);
}

/**
 * Frees what was read into at once, instead of with the next collection. Does nothing where the bytes are a part of more
 * memory, which may be somebody else's.
 */
export function freeRead(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}
