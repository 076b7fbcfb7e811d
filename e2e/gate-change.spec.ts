import { resolve } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { job } from './support/mock-data.ts';
import type { MockEngine } from './support/mock-engine.ts';
import { busyScene } from './support/mock-scenes.ts';
import { type MockServer, startMockServer } from './support/mock-server.ts';

/* A job that changes its own gate is let through by nobody who has not seen the change. */

const rendererDir = resolve(import.meta.dirname, '..', process.env.HEADWAY_RENDERER_DIR ?? 'out/renderer');
let server: MockServer;
let engine: MockEngine;

test.beforeEach(async ({ page }) => {
  engine = busyScene();
  const cause = { code: 'tampered' as const, files: ['headway.yaml'] };
  engine.jobs.set(
    'job-70',
    job(70, { id: 'job-70', title: 'Weaken it', state: 'held', cause, files: ['headway.yaml'] }),
  );
  server = await startMockServer(engine, { rendererDir });
  await page.goto(server.url);
  await page.getByRole('row', { name: /Weaken it/ }).click();
});
test.afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const review = (page: Page) => page.getByRole('dialog', { name: /changes its own gate/ });
const released = () => engine.asked.filter(({ name }) => name === 'job.release').map(({ params }) => params);

const WAYS: Record<string, (page: Page) => Promise<void>> = {
  'the inspector': (page) => page.getByRole('button', { name: 'Review the gate change…' }).click(),
  'the palette': async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Review the gate');
    await page.keyboard.press('Enter');
  },
  'the menu of the queue': async (page) => {
    await page.getByRole('row', { name: /Weaken it/ }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Review the gate change…' }).click();
  },
};

for (const [way, open] of Object.entries(WAYS)) {
  test(`by ${way} a change of the gate is read before it is approved, and Enter approves nothing`, async ({
    page,
  }) => {
    await open(page);
    const approve = review(page).getByRole('button', { name: 'Approve the gate change and release' });
    await expect(review(page).getByRole('region', { name: 'Changes' })).toBeVisible();
    await expect(review(page).getByRole('button', { name: 'Keep it held' })).toBeFocused();
    await expect(approve).toBeDisabled();
    await page.keyboard.press('Enter');
    await expect(review(page)).toBeHidden();
    await open(page);
    await review(page).getByRole('checkbox').check();
    await page.keyboard.press('Enter');
    await approve.focus();
    await page.keyboard.press('Enter');
    expect(released()).toEqual([]);
    await approve.click();
    await expect(review(page)).toBeHidden();
    expect(released()).toEqual([{ jobId: 'job-70', gateChange: 'seen' }]);
  });
}
