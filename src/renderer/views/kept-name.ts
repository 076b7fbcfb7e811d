import type { KeptWork } from '../../shared/contract.ts';

/** Pure: how a person knows it: its ticket, else the end of its ref. */
export const keptName = ({ ticketId, title, ref }: KeptWork): string =>
  ticketId === undefined ? (ref.split('/').at(-1) ?? ref) : [ticketId, title].filter(Boolean).join(' ');

/** Pure: a name for the branch that git takes; a person may choose another. */
export function branchFor({ ticketId, ref, commit }: KeptWork): string {
  const source = ticketId ?? ref.split('/').at(-1) ?? '';
  const word = source
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `recovered/${word === '' ? '' : `${word}-`}${commit.slice(0, 7)}`;
}
