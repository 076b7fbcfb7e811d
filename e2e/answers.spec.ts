import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { RealEngine } from './support/real-engine.ts';

/* A program asks its terminal something: it hears the answer once, also where windows come, go and are slow. */

let engine: RealEngine;
test.beforeEach(() => {
  engine = new RealEngine();
});
test.afterEach(async () => {
  await engine[Symbol.asyncDispose]();
});
test.setTimeout(240_000);
const SLOW = { timeout: 120_000 };

/** What it hears it writes down; asked to, it asks. No answer holds a capital that it listens to. */
const PROGRAM = `
const { appendFileSync } = require('node:fs');
const QUESTIONS = ['[c', '[>c', '[5n', '[6n', '[?2004$p', ']10;?\\x07', ']11;?\\x07', ']4;1;?\\x07', 'P$qm\\x1b\\\\'];
process.stdin.setRawMode(true);
process.stdin.on('data', (data) => {
  appendFileSync(process.argv[2], data);
  if (data.includes('Q')) process.stdout.write(QUESTIONS.map((each) => '\\x1b' + each).join('') + '\\r\\nasked\\r\\n');
  if (data.includes('F')) for (let n = 0; n < 3000; n += 1) process.stdout.write('\\x1b[6n\\x1b[>c line ' + n + '\\r\\n');
  if (data.includes('F')) process.stdout.write('flooded\\r\\n');
});
process.stdout.write('listens\\r\\n');
`;
const ANSWERS = 9;

const pane = (page: Page) => page.getByRole('region', { name: /^Pane shell/ });

/** The processor is busy with something else: a replay takes long, with pauses. */
async function load(page: Page, rate: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
}

test('questions to a terminal are answered once, by one window, and never out of a replay', async ({
  page,
  context,
}) => {
  const repo = engine.repository('repo', { 'package.json': '{"name":"x","scripts":{"test":"node --test"}}' });
  const program = engine.write('program.cjs', PROGRAM);
  const heardFile = join(engine.root, 'heard');
  const heard = (): string => {
    try {
      return readFileSync(heardFile, 'latin1');
    } catch {
      return '';
    }
  };
  const answers = (): number => heard().split('\x1b').length - 1 - (heard().match(/\x1b\\/g)?.length ?? 0);
  const url = await engine.serve();
  await page.goto(url);
  await page.getByRole('button', { name: 'Add repository' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add repository' });
  await dialog.getByLabel('Path of the repository').fill(repo);
  await dialog.getByLabel('Path of the repository').press('Enter');
  await dialog.getByRole('button', { name: 'Add repository' }).click();
  await expect(page.getByRole('dialog', { name: 'New tickets' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+t');
  await page.getByRole('button', { name: 'Open shell' }).click();
  await expect(pane(page).getByRole('textbox')).toBeFocused(SLOW);
  await page.keyboard.type(`exec ${process.execPath} ${program} ${heardFile}\n`);
  await expect(pane(page)).toContainText('listens', SLOW);

  await page.keyboard.press('Q');
  await expect(pane(page)).toContainText('asked', SLOW);
  await expect.poll(answers).toBe(ANSWERS);

  // A second window, slow, beside the first; and a question that each of them shows.
  const second = await context.newPage();
  await load(second, 8);
  await second.goto(url);
  await expect(pane(second)).toContainText('asked', SLOW);
  await pane(second).getByRole('textbox').focus();
  await second.keyboard.press('X');
  await expect.poll(heard).toMatch(/X$/);
  expect(answers()).toBe(ANSWERS);
  await second.keyboard.press('Q');
  await expect.poll(answers, SLOW).toBe(2 * ANSWERS);
  await page.bringToFront();
  await pane(page).getByRole('textbox').focus();
  await page.keyboard.press('Q');
  await expect.poll(answers, SLOW).toBe(3 * ANSWERS);
  await page.keyboard.press('Y');
  await expect.poll(heard, SLOW).toMatch(/Y$/);
  expect(answers()).toBe(3 * ANSWERS);

  // A replay full of questions, in windows that are opened anew and slow.
  await second.close();
  await page.keyboard.press('F');
  await expect(pane(page)).toContainText('flooded', SLOW);
  await page.keyboard.press('Z');
  await expect.poll(heard, SLOW).toMatch(/Z$/);
  const before = heard();
  expect(before.split('\x1b').length - 1).toBeGreaterThan(6000);
  await load(page, 8);
  await page.reload();
  const third = await context.newPage();
  await third.goto(url);
  for (const each of [page, third]) await expect(pane(each)).toContainText('flooded', SLOW);
  await page.bringToFront();
  await pane(page).getByRole('textbox').focus();
  await page.keyboard.press('Z');
  await expect.poll(() => heard().length, SLOW).toBeGreaterThan(before.length);
  expect(heard()).toBe(`${before}Z`);
});
