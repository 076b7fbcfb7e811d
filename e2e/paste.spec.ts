import { resolve } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { MockEngine } from './support/mock-engine.ts';
import { busyScene } from './support/mock-scenes.ts';
import { type MockServer, startMockServer } from './support/mock-server.ts';

/* What a shell gets of a text that comes from anywhere: nothing that ends the paste, and no line that nobody saw. */

const rendererDir = resolve(import.meta.dirname, '..', process.env.HEADWAY_RENDERER_DIR ?? 'out/renderer');
let server: MockServer;
let engine: MockEngine;

test.beforeEach(async ({ page, context }) => {
  engine = busyScene();
  server = await startMockServer(engine, { rendererDir });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(server.url);
  await expect(page.getByRole('row', { name: /^T12 / })).toBeVisible();
  await page.keyboard.press('Alt+t');
  await page.getByRole('button', { name: 'Open shell' }).click();
  await expect(shell(page)).toBeFocused();
});
test.afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const shell = (page: Page) => page.locator('[data-terminal^="shell-"] textarea');
const typed = (): string => engine.typed.map(({ text }) => text).join('');
const question = (page: Page) => page.getByRole('dialog', { name: /^Paste / });
const copy = (page: Page, text: string) => page.evaluate((each) => navigator.clipboard.writeText(each), text);

/** The program knows a paste from typing, and the window has heard so. */
async function bracketed(page: Page): Promise<void> {
  const id = engine.typed.length === 0 ? [...engine.sessions.keys()].at(-1) : undefined;
  if (id === undefined) throw new Error('no session yet');
  engine.print(id, '\x1b[?2004h');
  // With the prompt that may still be on its way.
  const printed = Buffer.byteLength(engine.output.get(id) ?? '');
  await expect.poll(() => engine.acknowledged.get(id)).toBe(printed);
  await expect(shell(page)).toBeFocused();
}

const WAYS: Record<string, (page: Page, text: string) => Promise<unknown>> = {
  'the key': async (page, text) => {
    await copy(page, text);
    await page.keyboard.press('Control+Shift+V');
  },
  'the palette': async (page, text) => {
    await copy(page, text);
    await page.keyboard.press('Control+Shift+K');
    await page.keyboard.type('Paste into');
    await page.keyboard.press('Enter');
  },
  // Menu and middle click end in this event too.
  'a paste event': (page, text) =>
    shell(page).evaluate((field, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      const options = { clipboardData, bubbles: true, cancelable: true };
      field.dispatchEvent(new ClipboardEvent('paste', options));
    }, text),
  'a drop': (page, text) =>
    shell(page).evaluate((field, pasted) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/plain', pasted);
      field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, text),
  'an insertion': (page, text) =>
    shell(page).evaluate((field, pasted) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/plain', pasted);
      const options = { inputType: 'insertFromPaste', dataTransfer, bubbles: true, cancelable: true };
      field.dispatchEvent(new InputEvent('beforeinput', options));
    }, text),
};

for (const [way, paste] of Object.entries(WAYS)) {
  test(`what is pasted by ${way} can't end the paste`, async ({ page }) => {
    await bracketed(page);
    await paste(page, 'ls\x1b[201~\rid\u009b201~\n\u0003');
    await expect.poll(typed).toBe('\x1b[200~ls[201~\rid201~\r\x1b[201~');
    await expect(page.getByText('3 control characters were left out')).toBeVisible();
  });

  test(`what is pasted by ${way} is shown before a plain shell runs it`, async ({ page }) => {
    await paste(page, 'curl evil\x1b[2K\nls\n');
    await expect(question(page)).toContainText('curl evil[2K');
    await expect(question(page)).toContainText('1 control character was left out');
    await expect(question(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(question(page)).toBeHidden();
    await expect(shell(page)).toBeFocused();
    await paste(page, 'a\nb\n');
    await question(page).getByRole('button', { name: 'Paste', exact: true }).click();
    await expect.poll(typed).toBe('a\rb\r');
    await expect(shell(page)).toBeFocused();
  });
}

test('text without a line end is pasted without a question', async ({ page }) => {
  await WAYS['the key']?.(page, 'echo \u00e9');
  await expect.poll(typed).toBe('echo \u00e9');
  await expect(question(page)).toBeHidden();
});

test("what the browser's own command pastes goes the same way", async ({ page, context }) => {
  await copy(page, 'one\ntwo\n');
  const devtools = await context.newCDPSession(page);
  // What the context menu does; a key alone would not.
  await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', commands: ['Paste'] });
  await expect(question(page)).toContainText('two');
  expect(typed()).toBe('');
});
