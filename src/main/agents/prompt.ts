import type { Ticket } from '../../shared/domain.ts';

/**
 * What an agent gets: the ticket's text, unchanged, and the few rules of the slot below it. `paths` is what the
 * scheduler reserved for the job; undefined or empty where that is the whole repository.
 */
export function buildPrompt(ticket: Pick<Ticket, 'text'>, paths?: readonly string[]): string {
  const rules = [
    'Work only inside the current directory; it is a checkout made for this ticket.',
    ...(paths && paths.length > 0
      ? [`Keep your changes to these paths; others may be working on the rest: ${paths.join(', ')}`]
      : []),
    'Committing is optional: uncommitted changes are taken as well.',
    'Do not push, do not switch branches, and do not wait for answers: nobody reads along.',
  ];
  return `${ticket.text.trimEnd()}\n\n---\n${rules.map((rule) => `- ${rule}`).join('\n')}\n`;
}
