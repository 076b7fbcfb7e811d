import { nearestNames } from '../../shared/nearest-names.ts';
import type { Located } from './front-matter.ts';

/** What a check of dependencies needs of a ticket. */
type Dependent = {
  id: string;
  file: string;
  dependsOn: readonly Located<string>[];
  related: readonly Located<string>[];
};

export type TicketProblem = { file: string; line: number; message: string };

/** Unknown, circular and self dependencies among tickets; `known` are ids of earlier submissions. */
export function checkDependencies(
  tickets: readonly Dependent[],
  known: ReadonlySet<string>,
): TicketProblem[] {
  const problems: TicketProblem[] = [];
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  for (const { id, file, dependsOn, related } of tickets) {
    for (const [key, list] of [
      ['dependsOn', dependsOn],
      ['related', related],
    ] as const) {
      for (const { value, line } of list) {
        if (value === id) problems.push({ file, line, message: `${key} of "${id}" names the ticket itself` });
        else if (!byId.has(value) && !known.has(value)) {
          const others = [...byId.keys(), ...known].filter((other) => other !== id);
          const [meant] = nearestNames(value, others, 1);
          const hint = meant ? `did you mean "${meant}"?` : 'no ticket has that id';
          problems.push({
            file,
            line,
            message: `${key} of "${id}" names an unknown ticket "${value}": ${hint}`,
          });
        }
      }
    }
  }
  return [...problems, ...findCircles(tickets, byId)];
}

/** Each circle once, at the dependency that closes it. Without recursion, as a chain may be long. */
function findCircles(tickets: readonly Dependent[], byId: ReadonlyMap<string, Dependent>): TicketProblem[] {
  const problems: TicketProblem[] = [];
  const done = new Set<Dependent>();
  for (const start of tickets) {
    const path: { ticket: Dependent; next: number }[] = done.has(start) ? [] : [{ ticket: start, next: 0 }];
    const onPath = new Set(path.map(({ ticket }) => ticket));
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = top.ticket.dependsOn[top.next];
      top.next += 1;
      if (!edge) {
        path.pop();
        onPath.delete(top.ticket);
        done.add(top.ticket);
        continue;
      }
      const ticket = byId.get(edge.value);
      if (!ticket || ticket === top.ticket || done.has(ticket)) continue;
      if (onPath.has(ticket)) {
        const ids = path.map((each) => each.ticket.id);
        const circle = [...ids.slice(ids.indexOf(ticket.id)), ticket.id].join(' → ');
        problems.push({ file: top.ticket.file, line: edge.line, message: `circular dependency: ${circle}` });
      } else {
        path.push({ ticket, next: 0 });
        onPath.add(ticket);
      }
    }
  }
  return problems;
}
