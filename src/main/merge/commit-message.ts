/** Who the commit says made it. */
export type Identity = { name: string; email: string };

export type CommitText = {
  jobId: string;
  ticketId: string;
  title: string;
  agent: string;
};

export const JOB_TRAILER = 'Headway-Job';
const SUBJECT_LENGTH = 72;

/** One line without control, direction-changing or invisible characters; white space folded. */
function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts to at most `length` UTF-16 units, between whole characters as a person sees them. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    if (kept.length + segment.length > length - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The trailers by which a landed job is found again. */
export function trailers(text: CommitText): string {
  const value = (given: string): string => cut(plainLine(given), 200) || '-';
  return [
    `${JOB_TRAILER}: ${value(text.jobId)}`,
    `Headway-Ticket: ${value(text.ticketId)}`,
    `Headway-Agent: ${value(text.agent)}`,
  ].join('\n');
}

/** Subject (`T12: Parse quoted fields`, at most 72 characters), an optional paragraph, trailers. */
export function commitMessage(text: CommitText, body?: string): string {
  const id = plainLine(text.ticketId);
  const title = plainLine(text.title);
  const whole = id === '' || title.startsWith(`${id}:`) ? title : title === '' ? id : `${id}: ${title}`;
  // A leading '#' would be taken for a comment by an editor, and an empty subject refused.
  const subject = cut(whole.replace(/^#+\s*/, ''), SUBJECT_LENGTH) || 'Change by Headway';
  const paragraph = body === undefined ? '' : `${plainLine(body)}\n\n`;
  return `${subject}\n\n${paragraph}${trailers(text)}\n`;
}
