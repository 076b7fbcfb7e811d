import { STREAM_HIGH_BYTES } from '../../shared/contract.ts';
import type { SessionAttachment, SessionSink } from '../../shared/rpc/server.ts';
import { OutputRing } from './output-ring.ts';
import { RING_BYTES } from './session-output.ts';
import { readTranscriptTail } from './transcript.ts';
import { Viewer } from './viewer.ts';

/** Replays the end of an ended session's transcript from disk, at the reader's pace, then its exit. */
export function attachPast(file: string, exitCode: number | undefined, sink: SessionSink): SessionAttachment {
  const viewer = new Viewer(sink, STREAM_HIGH_BYTES, performance.now());
  let ring: OutputRing | undefined;
  const pump = (): void => {
    if (ring) viewer.pump(ring, { exitCode }, performance.now());
  };
  void readTranscriptTail(file, RING_BYTES)
    .catch(() => ({ bytes: Buffer.alloc(0), skipped: 0 })) // unreadable: as good as gone
    .then(({ bytes, skipped }) => {
      ring = new OutputRing(RING_BYTES, skipped);
      ring.append(bytes);
      pump();
    });
  return {
    ack(bytes) {
      viewer.acknowledge(bytes, performance.now());
      pump();
    },
    detach: () => viewer.detach(),
  };
}
