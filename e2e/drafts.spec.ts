import { resolve } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { HeadwayError } from '../src/shared/errors.ts';
import type { MockEngine } from './support/mock-engine.ts';
import { busyScene } from './support/mock-scenes.ts';
import { type MockServer, startMockServer } from './support/mock-server.ts';

/* What a person has begun to write is theirs until they send it or throw it away. */

const rendererDir = resolve(import.meta.dirname, '..', process.env.HEADWAY_RENDERER_DIR ?? 'out/renderer');
let server: MockServer;
let engine: MockEngine;

test.beforeEach(async ({ page }) => {
  engine = busyScene();
  server = await startMockServer(engine, { rendererDir });
  await page.goto(server.url);
  await expect(page.getByRole('row', { name: /^T12 / })).toBeVisible();
});
test.afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const TEXT = '---\nid: T77\ntitle: Mend it\n---\n\nAn hour of thought.\n';
const tickets = (page: Page) => page.getByRole('dialog', { name: 'New tickets' });
const submitted = () => engine.asked.filter(({ name }) => name === 'tickets.submit');

async function openTickets(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New tickets' }).click();
  await expect(tickets(page)).toBeVisible();
}

const WAYS_OUT: Record<string, (page: Page) => Promise<unknown>> = {
  Escape: (page) => page.keyboard.press('Escape'),
  Close: (page) => tickets(page).getByRole('button', { name: 'Close' }).click(),
  'the button beside Submit': (page) => tickets(page).getByRole('button', { name: 'Keep draft' }).click(),
  'a reload': (page) => page.reload(),
};

for (const [way, leave] of Object.entries(WAYS_OUT)) {
  test(`tickets that are begun stay when they are left by ${way}`, async ({ page }) => {
    await openTickets(page);
    await tickets(page).getByRole('textbox').fill(TEXT);
    await tickets(page).getByRole('button', { name: 'Write another ticket' }).click();
    await tickets(page).getByRole('textbox').fill('---\nid: T78\ntitle: More\n---\n');
    await leave(page);
    await expect(tickets(page)).toBeHidden();
    await expect(page.getByText('Your draft is kept')).toBeVisible();
    await openTickets(page);
    await expect(tickets(page).getByRole('textbox')).toHaveValue(TEXT);
    await tickets(page).getByRole('button', { name: 'Submit tickets' }).click();
    await expect(tickets(page)).toBeHidden();
    expect(submitted()[0]?.params).toMatchObject({
      files: [{ text: TEXT }, { text: '---\nid: T78\ntitle: More\n---\n' }],
    });
    await page.reload();
    await openTickets(page);
    await expect(tickets(page).getByRole('textbox')).not.toHaveValue(/hour of thought/);
  });
}

test('a draft that could not be submitted stays, and goes only when it is discarded', async ({ page }) => {
  engine.failures.set('tickets.submit', new HeadwayError('busy', 'The queue is full.'));
  await openTickets(page);
  await tickets(page).getByRole('textbox').fill(TEXT);
  await tickets(page).getByRole('button', { name: 'Submit tickets' }).click();
  await expect(tickets(page).getByText('The queue is full.')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.reload();
  await openTickets(page);
  await expect(tickets(page).getByRole('textbox')).toHaveValue(TEXT);
  await tickets(page).getByRole('button', { name: 'Discard draft' }).click();
  await openTickets(page);
  await expect(tickets(page).getByRole('textbox')).not.toHaveValue(/hour of thought/);
});

test('what nobody has written is no draft', async ({ page }) => {
  await openTickets(page);
  await expect(tickets(page).getByRole('button', { name: 'Discard draft' })).toBeHidden();
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(page.getByRole('row', { name: /^T12 / })).toBeVisible();
  await expect(page.getByText('Your draft is kept')).toBeHidden();
});

test('a ticket that was removed is put back, and dropped files come beside a draft', async ({ page }) => {
  await openTickets(page);
  await tickets(page).getByRole('textbox').fill(TEXT);
  await tickets(page)
    .getByRole('button', { name: /^Remove / })
    .click();
  await expect(tickets(page).getByRole('textbox')).not.toHaveValue(TEXT);
  await tickets(page).getByRole('button', { name: 'Put it back' }).click();
  await expect(tickets(page).getByRole('textbox')).toHaveValue(TEXT);
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['---\nid: D1\ntitle: Dropped\n---\n'], 'dropped.md'));
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  });
  await expect(tickets(page).getByRole('textbox')).toHaveValue(/Dropped/);
  await expect(tickets(page).getByRole('button', { name: /^Remove / })).toHaveCount(2);
});

test('the title of a session and the reason for a finding stay too', async ({ page }) => {
  await page.keyboard.press('Alt+t');
  await page.getByRole('button', { name: 'Open shell' }).click();
  const finish = page.getByRole('button', { name: 'Finish: gate and merge' });
  const session = page.getByRole('dialog', { name: 'Finish session' });
  await finish.click();
  await session.getByLabel('Title').fill('Mend the parser by hand');
  await page.keyboard.press('Escape');
  await finish.click();
  await expect(session.getByLabel('Title')).toHaveValue('Mend the parser by hand');
  await session.getByRole('button', { name: 'Finish: gate and merge' }).click();
  await expect(session).toBeHidden();
  await page.keyboard.press('Control+Shift+K');
  await page.keyboard.type('Show Gate');
  await page.keyboard.press('Enter');
  const accept = page.getByRole('button', { name: 'Accept…' }).first();
  const finding = page.getByRole('dialog', { name: 'Accept finding' });
  await accept.click();
  await finding.getByLabel('Reason').fill('The folder is generated');
  await finding.getByRole('button', { name: 'Cancel' }).click();
  await accept.click();
  await expect(finding.getByLabel('Reason')).toHaveValue('The folder is generated');
});
