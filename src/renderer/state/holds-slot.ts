import type { Model } from './model.ts';

/** A session that a person works in and that has not given its slot back: there is something left to finish. */
export function holdsSlot(model: Model, sessionId: string): boolean {
  const open = model.sessions.get(sessionId);
  if (!open?.interactive || open.kind === 'job' || open.slotId === undefined) return false;
  return model.slots.get(open.slotId)?.sessionId === sessionId;
}
