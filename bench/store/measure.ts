/** A queue that is filled and open. */
export type Bench = {
  /** Claims and completes one job; returns its name. */
  work(): Promise<string> | string;
  close(): Promise<void> | void;
};
/** Makes a database file with so many queued jobs. */
export type Peer = (file: string, queued: number) => Promise<Bench>;

/** A slice of work, done by `atOnce` workers: how fast it was. `seen` holds the jobs that were handed out before. */
export async function measureRate(
  bench: Bench,
  options: { count: number; atOnce: number; seen: Set<string> },
): Promise<{ perSecond: number; handedOutTwice: number }> {
  const { count, atOnce, seen } = options;
  let started = 0;
  let handedOutTwice = 0;
  const worker = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const name = await bench.work();
      if (seen.has(name)) handedOutTwice += 1;
      seen.add(name);
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { perSecond: (count / (performance.now() - startedMs)) * 1000, handedOutTwice };
}

/** What a job carries in each of the queues: about 400 bytes. */
export const PAYLOAD = JSON.stringify({ title: 'Parse quoted fields', text: 'x'.repeat(360) });
