import { expect, it } from 'vitest';
import { parseTicketDraft } from './ticket-draft.ts';

it('takes a kept draft, and nothing that is none', () => {
  const files = [{ name: 'a.md', text: '---\nid: A\n---\n' }];
  expect(parseTicketDraft({ files, repoId: 'r', agent: 'claude-code' })).toEqual({
    files,
    repoId: 'r',
    agent: 'claude-code',
  });
  expect(parseTicketDraft({ files })).toEqual({ files, repoId: undefined, agent: '' });
  for (const none of [
    undefined,
    null,
    'text',
    {},
    { files: [] },
    { files: [null] },
    { files: [{ name: 1 }] },
  ]) {
    expect(parseTicketDraft(none)).toBeUndefined();
  }
});
