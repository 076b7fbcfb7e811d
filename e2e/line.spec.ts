import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { RealEngine } from './support/real-engine.ts';

/*
 * From tickets to merged commits through the browser: real engine, git, dependencies, gate, merges and terminals; only
 * the agents follow a script.
 */

let engine: RealEngine;
test.beforeEach(() => {
  engine = new RealEngine();
});
test.afterEach(async () => {
  await engine[Symbol.asyncDispose]();
});
test.setTimeout(240_000);
const SLOW = { timeout: 120_000 };

/** A package with one dependency that installs without a registry, and a gate of two scripts. */
const PACKAGE = {
  'package.json': JSON.stringify({
    name: 'x',
    version: '1.0.0',
    scripts: { lint: 'node lint.cjs', test: 'node --test' },
    dependencies: { dep: 'file:./dep' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'x',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'x', version: '1.0.0', dependencies: { dep: 'file:./dep' } },
      dep: { version: '1.0.0' },
      'node_modules/dep': { resolved: 'dep', link: true },
    },
  }),
  'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }),
  'dep/index.js': 'module.exports = 1;\n',
  'lint.cjs': "console.log('2 files checked, 0 problems');\n",
  'all.test.js': "require('node:test')('dep', () => require('node:assert').equal(require('dep'), 1));\n",
  '.gitignore': 'node_modules\n',
};
const FILES = Object.fromEntries('abcdef'.split('').map((name) => [`src/${name}.txt`, `${name}\n`]));

/** Its agent works until the test lets it go on. */
function ticket(id: string, more: string, path: string): string {
  const wait = `node -e "(function w(){if(!require('fs').existsSync('${engine.root}/go'))setTimeout(w,50)})()"`;
  return `---\nid: ${id}\ntitle: Work of ${id}\nagent: scripted\n${more}---\nChange it.\n\n\`\`\`headway\n- print: working on ${id}\n- run: ${JSON.stringify(wait)}\n- append: { path: ${path}, content: "${id}\\n" }\n\`\`\`\n`;
}

const row = (page: Page, id: string) => page.getByRole('row', { name: new RegExp(`^${id} `) });

async function addRepository(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: 'Add repository' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add repository' });
  await dialog.getByLabel('Path of the repository').fill(path);
  await dialog.getByLabel('Path of the repository').press('Enter');
  await expect(dialog.getByText('npm test')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add repository' }).click();
}

async function submit(page: Page, text: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'New tickets' });
  await dialog.getByRole('textbox').fill(text);
  await dialog.getByRole('button', { name: 'Submit tickets' }).click();
  await expect(dialog).toBeHidden();
}

test('six tickets become six commits on the base, four at a time, while a person watches', async ({
  page,
}) => {
  const repo = engine.repository('repo', { ...PACKAGE, ...FILES });
  await page.goto(await engine.serve());
  await addRepository(page, repo);
  await submit(
    page,
    [
      ticket('A', 'paths: [src/a.txt]\n', 'src/a.txt'),
      ticket('B', 'paths: [src/b.txt]\n', 'src/b.txt'),
      ticket('C', 'paths: [src/c.txt]\n', 'src/c.txt'),
      ticket('D', 'paths: [src/d.txt]\ndependsOn: [A]\n', 'src/d.txt'),
      ticket('E', 'paths: [src/a.txt]\n', 'src/a.txt'),
      ticket('F', '', 'src/f.txt'),
    ].join('\n'),
  );
  await expect(row(page, 'D')).toContainText(/depends on\s*A/);
  await expect(row(page, 'F')).toContainText('touches everything');
  await expect(page.getByRole('region', { name: /^Pane A / }).locator('.xterm-rows')).toContainText(
    'working on A',
    SLOW,
  );
  engine.write('go', '');
  for (const id of ['A', 'B', 'C', 'D', 'E', 'F']) {
    await expect(row(page, id)).toHaveAccessibleName(/merged/, SLOW);
  }
  expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe('a\nA\nE\n');
  expect(engine.git(repo, 'status', '--porcelain')).toBe('');
  expect(
    engine
      .git(repo, 'log', '--format=%b')
      .match(/Headway-Ticket: [A-F]/g)
      ?.toSorted(),
  ).toEqual(expect.arrayContaining(['A', 'B', 'C', 'D', 'E', 'F'].map((id) => `Headway-Ticket: ${id}`)));
  await row(page, 'A').click();
  const inspector = page.getByRole('region', { name: 'Inspector' });
  await expect(inspector).toContainText('src/a.txt');
  await inspector.getByRole('tab', { name: 'Diff' }).click();
  await expect(inspector).toContainText('+A');
  await inspector.getByRole('tab', { name: 'Gate' }).click();
  await expect(inspector).toContainText('1 passed');
});

test('a person works in a shell on a warm slot and sends the result through gate and merge', async ({
  page,
}) => {
  const repo = engine.repository('repo', { ...PACKAGE, ...FILES });
  await page.goto(await engine.serve());
  await addRepository(page, repo);
  await expect(page.getByRole('dialog', { name: 'New tickets' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('Alt+t');
  await page
    .getByRole('dialog', { name: 'New terminal' })
    .getByRole('button', { name: 'Open shell' })
    .click();
  // Several shells of one repository are told apart by their slots.
  const pane = page.getByRole('region', { name: /^Pane shell: repo s1$/ });
  await expect(pane.getByRole('textbox')).toBeFocused(SLOW);
  await page.keyboard.type('echo by-hand >> src/a.txt && echo made-$((40+2))\n');
  await expect(pane.locator('.xterm-rows')).toContainText('made-42', SLOW);
  await page.getByRole('button', { name: 'Finish: gate and merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Finish session' });
  await dialog.getByLabel('Title').fill('Mend it by hand');
  await dialog.getByRole('button', { name: 'Finish: gate and merge' }).click();
  await expect(page.getByRole('row', { name: /Mend it by hand/ })).toHaveAccessibleName(/merged/, SLOW);
  expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe('a\nby-hand\n');
});

test('a killed engine goes on where it was, and the page that was open comes back by itself', async ({
  page,
}) => {
  const repo = engine.repository('repo', { ...PACKAGE, ...FILES });
  const address = await engine.serve();
  await page.goto(address);
  await addRepository(page, repo);
  await submit(
    page,
    [ticket('A', 'paths: [src/a.txt]\n', 'src/a.txt'), ticket('B', 'paths: [src/a.txt]\n', 'src/a.txt')].join(
      '\n',
    ),
  );
  await expect(page.getByRole('region', { name: /^Pane A / }).locator('.xterm-rows')).toContainText(
    'working on A',
    SLOW,
  );
  await engine.kill('SIGKILL');
  const lost = page.getByRole('alert').filter({ hasText: 'Headway has not answered since' });
  await expect(lost).toBeVisible(SLOW);
  engine.write('go', '');
  const port = Number(new URL(address).port);
  await engine.serve(port);
  await expect(lost).toBeHidden(SLOW);
  for (const id of ['A', 'B']) await expect(row(page, id)).toHaveAccessibleName(/merged/, SLOW);
  expect(readFileSync(join(repo, 'src/a.txt'), 'utf8')).toBe('a\nA\nB\n');

  // Until a start takes its token back.
  await engine.kill('SIGTERM');
  await expect(lost).toBeVisible(SLOW);
  const renewed = await engine.serve(port, '--new-token');
  await expect(page.getByRole('alert').filter({ hasText: 'this page has no access any more' })).toBeVisible(
    SLOW,
  );
  await page.goto(renewed);
  await expect(row(page, 'A')).toBeVisible(SLOW);
});
