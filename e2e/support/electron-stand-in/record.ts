import { appendFileSync } from 'node:fs';

/** Notes what the program asked of the system, for a test to read. */
export function record(call: string, details: Record<string, unknown> = {}): void {
  const path = process.env.HEADWAY_STAND_IN_LOG;
  if (path) appendFileSync(path, `${JSON.stringify({ call, ...details })}\n`);
}
