import type { TicketFile } from '../state/ui-store.ts';

/** A ticket to start from; `number` keeps its id apart from its siblings'. */
export function ticketTemplate(number: number): TicketFile {
  return {
    name: `ticket-${number}.md`,
    text: `---\nid: T${number}\ntitle: \n# paths: [src/ui, docs/guide.md]\n---\n\n`,
  };
}

/** The first number above all `T<number>` in use: an id that is taken would replace a job that waits. */
export function nextTicketNumber(ids: Iterable<string>): number {
  let last = 0;
  for (const id of ids) {
    const number = /^T(\d{1,6})$/.exec(id)?.[1];
    if (number !== undefined) last = Math.max(last, Number(number));
  }
  return last + 1;
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
