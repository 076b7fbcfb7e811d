import { STREAM_LOW_BYTES } from '../../shared/contract.ts';

/**
 * Adds up what a terminal has parsed and acknowledges it in lumps. A lump is smaller than the low watermark, and
 * whatever is left goes when nothing more is being parsed: so the sender is never left waiting for a rest.
 */
export function createAckBatcher(ack: (bytes: number) => void): {
  writing(bytes: number): void;
  parsed(bytes: number): void;
} {
  let inFlight = 0;
  let unacknowledged = 0;
  return {
    writing(bytes) {
      inFlight += bytes;
    },
    parsed(bytes) {
      inFlight -= bytes;
      unacknowledged += bytes;
      if (unacknowledged === 0 || (inFlight > 0 && unacknowledged < STREAM_LOW_BYTES)) return;
      ack(unacknowledged);
      unacknowledged = 0;
    },
  };
}
