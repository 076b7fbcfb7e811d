import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../../shared/time.ts';

/** A transcript with the parts that are not joined yet. */
export type TranscriptFile = { sessionId: string; names: string[]; sizeBytes: number; changedAt: number };

export type Retention = { maxAgeMs: number; maxBytes: number };

/** Somebody may still write to it, also in another process. */
const RECENT_MS = HOUR_MS;

/** Which transcripts go: those too old, then the oldest until the rest fits. Live ones and fresh ones stay. */
export function transcriptsToDelete(
  files: readonly TranscriptFile[],
  { maxAgeMs, maxBytes }: Retention,
  live: ReadonlySet<string>,
  nowMs: number,
): TranscriptFile[] {
  const closed = files
    .filter(({ sessionId, changedAt }) => !live.has(sessionId) && nowMs - changedAt > RECENT_MS)
    .sort((a, b) => a.changedAt - b.changedAt);
  let total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return closed.filter(({ changedAt, sizeBytes }) => {
    if (nowMs - changedAt <= maxAgeMs && total <= maxBytes) return false;
    total -= sizeBytes;
    return true;
  });
}

async function transcriptFiles(dir: string): Promise<TranscriptFile[]> {
  const files = new Map<string, TranscriptFile>();
  for (const name of await readdir(dir).catch(() => [] as string[])) {
    const sessionId = /^([\w-]+)\.log(?:\.joined|\.tail-\d+)?$/.exec(name)?.[1];
    const found = sessionId && (await stat(join(dir, name)).catch(() => undefined));
    if (!found) continue;
    const file = files.get(sessionId) ?? { sessionId, names: [], sizeBytes: 0, changedAt: 0 };
    file.names.push(name);
    file.sizeBytes += found.size;
    file.changedAt = Math.max(file.changedAt, found.mtimeMs);
    files.set(sessionId, file);
  }
  return [...files.values()];
}

/** Deletes what retention does not keep. Returns the sessions whose transcripts went. */
export async function pruneTranscripts(options: {
  dir: string;
  retention: Retention;
  live: ReadonlySet<string>;
  nowMs: number;
}): Promise<string[]> {
  const files = await transcriptFiles(options.dir);
  const gone = transcriptsToDelete(files, options.retention, options.live, options.nowMs);
  for (const { names } of gone) {
    for (const name of names) await rm(join(options.dir, name), { force: true });
  }
  return gone.map(({ sessionId }) => sessionId);
}
