import type { SessionAttachment, SessionSink } from '../../shared/rpc/server.ts';
import type { FlowBudget } from './flow-budget.ts';
import { OutputRing, RING_BYTES } from './output-ring.ts';
import { readTranscriptTail } from './transcript.ts';
import { Viewer } from './viewer.ts';

/** Replays the end of an ended session's transcript from disk, at the reader's pace, then its exit. */
export function attachPast(
  past: { file: string; exitCode: number | undefined },
  budget: FlowBudget,
  sink: SessionSink,
): SessionAttachment {
  let ring: OutputRing | undefined;
  const source = {
    get ring() {
      return ring;
    },
    get ended() {
      return ring ? { exitCode: past.exitCode } : undefined;
    },
    taken: () => undefined,
  };
  const viewer = new Viewer(sink, source, budget);
  void readTranscriptTail(past.file, RING_BYTES)
    .catch(() => ({ bytes: Buffer.alloc(0), skipped: 0 })) // unreadable: as good as gone
    .then(({ bytes, skipped }) => {
      ring = new OutputRing(RING_BYTES, skipped);
      ring.append(bytes);
      viewer.offer();
    });
  return {
    ack: (bytes) => viewer.acknowledge(bytes),
    detach: () => viewer.detach(),
  };
}
