import type { Claim, Ticket } from '../../shared/domain.ts';
import { toClaim } from '../scheduling/claims.ts';
import { extractPaths } from '../scheduling/extract-paths.ts';
import type { LinkedNames } from '../scheduling/linked-names.ts';
import type { ProseContext } from '../scheduling/path-mentions.ts';

/**
 * What a ticket may touch: the paths that it declares, else those that its title and text name without doubt, else
 * everything. `hubs` replaces the default list of hub files.
 */
export function claimOf(
  ticket: Pick<Ticket, 'title' | 'text' | 'paths'>,
  context: ProseContext & { hubs?: readonly string[]; names?: LinkedNames },
): Claim {
  if (ticket.paths) return toClaim(ticket.paths, { ...context, from: 'declared' });
  const text = ticket.text.includes(ticket.title) ? ticket.text : `# ${ticket.title}\n\n${ticket.text}`;
  const { paths, claim, why } = extractPaths(text, context);
  return claim ? toClaim(paths, { ...context, from: 'text' }) : { kind: 'everything', why };
}
