import type { Settings } from '../../shared/domain.ts';
import { DAY_MS, HOUR_MS } from '../../shared/time.ts';
import type { SlotPool } from '../slots/pool/pool.ts';
import type { SessionHub } from '../terminals/session-hub.ts';
import { pruneTranscripts } from '../terminals/transcript-retention.ts';

/** A start has better things to do. */
const FIRST_MS = 15_000;
const EVERY_MS = 6 * HOUR_MS;

/** Keeps the disk from filling up while nobody looks: transcripts and slots. Returns how to stop it. */
export function startHousekeeping(options: {
  transcripts: string;
  hub: SessionHub;
  pool: SlotPool;
  settings(): Settings;
  now(): number;
  onProblem(thrown: unknown): void;
}): () => Promise<void> {
  const { hub, pool, settings, now } = options;
  let round: Promise<unknown> = Promise.resolve();
  const clean = (): void => {
    pool.tidySoon();
    const { transcriptDays, transcriptBytes } = settings();
    const live = hub.list().filter(({ state }) => state === 'live');
    round = pruneTranscripts({
      dir: options.transcripts,
      retention: { maxAgeMs: transcriptDays * DAY_MS, maxBytes: transcriptBytes },
      live: new Set(live.map(({ id }) => id)),
      nowMs: now(),
    }).catch(options.onProblem);
  };
  const first = setTimeout(clean, FIRST_MS).unref();
  const every = setInterval(clean, EVERY_MS).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(every);
    await round;
  };
}
