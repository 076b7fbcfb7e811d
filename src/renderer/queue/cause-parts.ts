import { type Cause, explainCause } from '../../shared/cause.ts';

export type CausePart = { kind: 'text'; text: string } | { kind: 'job'; text: string; jobId: string };

/** The words of a cause, cut so that the ticket that holds the job is a part of its own: a link to it. */
export function causeParts(cause: Cause): readonly CausePart[] {
  const { text } = explainCause(cause);
  if (!('jobId' in cause)) return [{ kind: 'text', text }];
  const at = text.indexOf(cause.ticketId);
  if (at < 0) return [{ kind: 'text', text }];
  const parts: CausePart[] = [
    { kind: 'text', text: text.slice(0, at) },
    { kind: 'job', text: cause.ticketId, jobId: cause.jobId },
    { kind: 'text', text: text.slice(at + cause.ticketId.length) },
  ];
  return parts.filter((part) => part.text !== '');
}
