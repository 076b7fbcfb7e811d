/** Who the commit says made it. */
export type Identity = { name: string; email: string };

export type CommitText = {
  jobId: string;
  ticketId: string;
  title: string;
  agent: string;
  /** What the work cost so far, where the agent reports it. */
  costUsd?: number;
};

export const COMMIT_TRAILERS = ['job', 'ticket', 'agent', 'cost'] as const;

/** How commits that Headway makes look. */
export type CommitPolicy = {
  author: 'user' | 'agent';
  trailers: readonly (typeof COMMIT_TRAILERS)[number][];
};

export const DEFAULT_COMMITS: CommitPolicy = { author: 'user', trailers: ['job', 'ticket', 'agent'] };

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

/** Made with its first use: it reads large tables that no start needs. */
let segmenter: Intl.Segmenter | undefined;

/** Cuts to at most `length` UTF-16 units, between whole characters as a person sees them. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  let kept = '';
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) {
    if (kept.length + segment.length > length - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The trailers that the policy asks for; by that of the job a landed job is found again. Empty: none. */
export function trailers(text: CommitText, policy: CommitPolicy = DEFAULT_COMMITS): string {
  const value = (given: string): string => cut(plainLine(given), 200) || '-';
  const lines = {
    job: `${JOB_TRAILER}: ${value(text.jobId)}`,
    ticket: `Headway-Ticket: ${value(text.ticketId)}`,
    agent: `Headway-Agent: ${value(text.agent)}`,
    cost: text.costUsd === undefined ? undefined : `Headway-Cost: ${text.costUsd.toFixed(4)} USD`,
  };
  return COMMIT_TRAILERS.filter((kind) => policy.trailers.includes(kind))
    .flatMap((kind) => lines[kind] ?? [])
    .join('\n');
}

/** Name and address of an agent as the author of its work; the address is one that nobody can have. */
export function agentIdentity(agent: string): Identity {
  const id = plainLine(agent.split(':')[0] ?? '')
    .replace(/[<>"\\]/g, '')
    .trim();
  const local = id.toLowerCase().replace(/[^a-z0-9.-]+/g, '-') || 'agent';
  return { name: id || 'agent', email: `${local}@agents.headway.invalid` };
}

/** Subject (`T12: Parse quoted fields`, at most 72 characters), an optional paragraph, trailers. */
export function commitMessage(text: CommitText, body?: string, policy?: CommitPolicy): string {
  const id = plainLine(text.ticketId);
  const title = plainLine(text.title);
  const whole = id === '' || title.startsWith(`${id}:`) ? title : title === '' ? id : `${id}: ${title}`;
  // A leading '#' would be taken for a comment by an editor, and an empty subject refused.
  const subject = cut(whole.replace(/^#+\s*/, ''), SUBJECT_LENGTH) || 'Change by Headway';
  const paragraph = body === undefined ? '' : `${plainLine(body)}\n\n`;
  return `${`${subject}\n\n${paragraph}${trailers(text, policy)}`.trimEnd()}\n`;
}
