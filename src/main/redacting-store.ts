import { overlay } from './overlay.ts';
import type { JobChange, JobRecords, Store } from './store/store.ts';
import type { TextRedactor } from './terminals/redaction.ts';

/**
 * The store, with secrets taken out of all that programs said on the way in: causes, step tails, reasons, titles, effects.
 * What a person wrote (a ticket's text) and what names something (paths, commits, keys) stays as it is.
 */
export function redactingStore(store: Store, redact: TextRedactor): Store {
  const clean = <C extends JobChange>(change: C): C =>
    change.cause === undefined ? change : { ...change, cause: redact.value(change.cause) };
  const inside = store.jobs;
  const jobs = overlay<JobRecords>(inside, {
    insert: (fresh) => inside.insert(fresh.map(clean)),
    insertWithin: (fresh, maxQueued) => inside.insertWithin(fresh.map(clean), maxQueued),
    update: (lease, change, end) => inside.update(lease, clean(change), end),
    transition: (jobId, from, change, ...by) => inside.transition(jobId, from, clean(change), ...by),
    putAttempt: (lease, change) => inside.putAttempt(lease, redact.value(change)),
  });
  return overlay(store, {
    jobs,
    slots: overlay(store.slots, {
      transition: (slotId, from, change) => store.slots.transition(slotId, from, redact.value(change)),
    }),
    effects: overlay(store.effects, {
      intend: (effect, ...lease) =>
        store.effects.intend({ ...effect, data: redact.value(effect.data) }, ...lease),
      settle: (key, state, data, atMs) => store.effects.settle(key, state, redact.value(data), atMs),
    }),
    proofs: overlay(store.proofs, { put: (proof) => store.proofs.put(redact.value(proof)) }),
    sessions: overlay(store.sessions, { put: (session) => store.sessions.put(redact.value(session)) }),
  });
}
