import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readTicketFiles } from './read-ticket-files.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headway-tickets-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

it('reads the Markdown files of a directory in the order of their numbers', async () => {
  for (const name of ['10-b.md', '2-a.md', 'notes.txt', '.hidden.md', 'README.md']) {
    await writeFile(join(directory, name), 'x');
  }
  await mkdir(join(directory, 'more.md'));
  expect((await readTicketFiles(directory)).map(({ name }) => name)).toEqual(['2-a.md', '10-b.md']);
});

it('reads a README that has front matter, and a single file of any name', async () => {
  await writeFile(join(directory, 'README.md'), '\ufeff---\r\nid: a\r\n---\r\nx');
  await writeFile(join(directory, 'todo.txt'), 'x');
  expect((await readTicketFiles(directory)).map(({ name }) => name)).toEqual(['README.md']);
  expect((await readTicketFiles(join(directory, 'todo.txt')))[0]?.name).toBe('todo.txt');
});

it('says what is wrong with a path that has no tickets', async () => {
  await expect(readTicketFiles(directory)).rejects.toMatchObject({ code: 'bad-input' });
  await expect(readTicketFiles(join(directory, 'none'))).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('no such ticket file or directory'),
  });
});
