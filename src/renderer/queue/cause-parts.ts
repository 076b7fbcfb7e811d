import { type Cause, explainCause } from '../../shared/cause.ts';

export type CausePart =
  | { kind: 'text'; text: string }
  | { kind: 'job'; text: string; jobId: string }
  | { kind: 'link'; text: string };

/** The words of a cause, cut so that what holds the job, a ticket or a pull request, is a part of its own: a link to it. */
export function causeParts(cause: Cause): readonly CausePart[] {
  const { text } = explainCause(cause);
  const part = linkOf(cause);
  const at = part ? text.indexOf(part.text) : -1;
  if (!part || at < 0) return [{ kind: 'text', text }];
  const parts: CausePart[] = [
    { kind: 'text', text: text.slice(0, at) },
    part,
    { kind: 'text', text: text.slice(at + part.text.length) },
  ];
  return parts.filter((each) => each.text !== '');
}

function linkOf(cause: Cause): CausePart | undefined {
  if ('jobId' in cause) return { kind: 'job', text: cause.ticketId, jobId: cause.jobId };
  return cause.code === 'awaits-pull-request' ? { kind: 'link', text: cause.url } : undefined;
}
