import { NAMES } from '../names.ts';
import { drafts } from '../state/drafts.ts';
import { showToast, type TicketFile } from '../state/ui-store.ts';

export type TicketDraft = { files: readonly TicketFile[]; repoId: string | undefined; agent: string };

const NAME = 'tickets';

/** What is not a draft, such as one of another version, counts as none. */
export function parseTicketDraft(value: unknown): TicketDraft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { files, repoId, agent } = value as Record<string, unknown>;
  if (!Array.isArray(files) || files.length === 0 || !files.every(isFile)) return undefined;
  return {
    files: files.map(({ name, text }) => ({ name, text })),
    repoId: typeof repoId === 'string' ? repoId : undefined,
    agent: typeof agent === 'string' ? agent : '',
  };
}

export const readTicketDraft = (): TicketDraft | undefined => parseTicketDraft(drafts().get(NAME));
export const keepTicketDraft = (draft: TicketDraft): boolean => drafts().keep(NAME, draft);
export const discardTicketDraft = (): void => drafts().discard(NAME);

export const sayTicketDraft = (): void =>
  showToast('info', `Your draft is kept; ${NAMES.newTickets} shows it again.`);

function isFile(value: unknown): value is TicketFile {
  const { name, text } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof text === 'string';
}
