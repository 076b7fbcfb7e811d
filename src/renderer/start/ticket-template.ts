import type { TicketFile } from '../state/ui-store.ts';

/** A ticket to start from; `number` keeps its id apart from its siblings'. */
export function ticketTemplate(number: number): TicketFile {
  return {
    name: `ticket-${number}.md`,
    text: `---\nid: T${number}\ntitle: \npaths: []\n---\n\n`,
  };
}

/** Files of the same name get a number, so that a problem's file is never in doubt. */
export function addFiles(before: readonly TicketFile[], added: readonly TicketFile[]): readonly TicketFile[] {
  const files = [...before];
  for (const file of added) {
    let { name } = file;
    for (let count = 2; files.some((other) => other.name === name); count += 1) {
      name = file.name.replace(/(\.[^.]*)?$/, (extension) => `-${count}${extension}`);
    }
    files.push({ ...file, name });
  }
  return files;
}
