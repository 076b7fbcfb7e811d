/** Waits for the work, but no longer than the bound; says whether it was done in time. Never rejects. */
export async function within(work: Promise<unknown>, boundMs: number): Promise<'done' | 'failed' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), boundMs);
  });
  const ended = work.then(
    () => 'done' as const,
    () => 'failed' as const,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
