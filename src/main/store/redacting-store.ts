import type { TextRedactor } from '../redaction/redaction.ts';
import { overlay } from './overlay.ts';
import type { JobChange, JobRecords, NewJob, Store } from './store.ts';

/**
 * The store, with secrets taken out of all that programs said on the way in: causes, step tails, reasons, effects; and of titles,
 * which go into commits. A ticket's text stays as it is, because the agent gets it, and so does what names something (paths,
 * commits, keys): both lose their secrets where they leave the engine.
 */
export function redactingStore(store: Store, redact: TextRedactor): Store {
  const clean = <C extends JobChange>(change: C): C =>
    change.cause === undefined ? change : { ...change, cause: redact.value(change.cause) };
  const cleanNew = <J extends NewJob>(job: J): J => {
    const title = redact.text(job.ticket.title);
    return clean(title === job.ticket.title ? job : { ...job, ticket: { ...job.ticket, title } });
  };
  const inside = store.jobs;
  const jobs = overlay<JobRecords>(inside, {
    insert: (fresh) => inside.insert(fresh.map(cleanNew)),
    submit: (fresh, ...more) => inside.submit(fresh.map(cleanNew), ...more),
    update: (lease, change, end) => inside.update(lease, clean(change), end),
    transition: (jobId, from, change, ...by) => inside.transition(jobId, from, clean(change), ...by),
    putAttempt: (lease, change) => inside.putAttempt(lease, redact.value(change)),
  });
  return overlay(store, {
    jobs,
    slots: overlay(store.slots, {
      transition: (slotId, from, change, ...held) =>
        store.slots.transition(slotId, from, redact.value(change), ...held),
    }),
    effects: overlay(store.effects, {
      intend: (effect, ...lease) =>
        store.effects.intend({ ...effect, data: redact.value(effect.data) }, ...lease),
      settle: (key, state, data, atMs) => store.effects.settle(key, state, redact.value(data), atMs),
      settleOrphan: (key, state, data, atMs) =>
        store.effects.settleOrphan(key, state, redact.value(data), atMs),
    }),
    proofs: overlay(store.proofs, { put: (proof) => store.proofs.put(redact.value(proof)) }),
    sessions: overlay(store.sessions, { put: (session) => store.sessions.put(redact.value(session)) }),
  });
}
