import { STREAM_LOW_BYTES } from '../../shared/contract.ts';

/**
 * Adds up what a terminal has taken and acknowledges it in lumps. A lump is smaller than the low watermark, and
 * whatever is left goes when nothing more is to be taken: so the sender is never left waiting for a rest.
 */
export function createAckBatcher(ack: (bytes: number) => void): {
  received(bytes: number): void;
  taken(bytes: number): void;
} {
  let inFlight = 0;
  let unacknowledged = 0;
  return {
    received(bytes) {
      inFlight += bytes;
    },
    taken(bytes) {
      inFlight -= bytes;
      unacknowledged += bytes;
      if (unacknowledged === 0 || (inFlight > 0 && unacknowledged < STREAM_LOW_BYTES)) return;
      ack(unacknowledged);
      unacknowledged = 0;
    },
  };
}
