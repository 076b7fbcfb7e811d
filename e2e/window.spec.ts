import { resolve } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { job, REPOSITORY, running, session } from './support/mock-data.ts';
import type { MockEngine } from './support/mock-engine.ts';
import { busyScene, emptyScene, gauges } from './support/mock-scenes.ts';
import { type MockServer, startMockServer } from './support/mock-server.ts';

/*
 * The built window against an engine of data only: what it shows and asks, without agents or git. The product's own
 * end-to-end tests run elsewhere.
 */

const rendererDir = resolve(import.meta.dirname, '..', process.env.HEADWAY_RENDERER_DIR ?? 'out/renderer');
let server: MockServer;

async function open(page: Page, engine: MockEngine): Promise<void> {
  server = await startMockServer(engine, { rendererDir });
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(server.url);
}

test.afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const row = (page: Page, id: string) => page.getByRole('row', { name: new RegExp(`^${id} `) });
const asked = (engine: MockEngine, name: string) => engine.asked.filter((each) => each.name === name);

test('an empty window offers the sample, which needs one click', async ({ page }) => {
  const engine = emptyScene();
  await open(page, engine);
  await page.getByRole('button', { name: 'Try the sample' }).click();
  await expect(region(page, 'Queue').getByRole('row', { name: /One/ })).toBeVisible();
  expect(asked(engine, 'tickets.submit')[0]?.params).toMatchObject({ agent: 'scripted' });
});

test('the token leaves the address bar and survives a reload', async ({ page }) => {
  await open(page, busyScene());
  await expect(row(page, 'T12')).toBeVisible();
  expect(page.url()).not.toContain('token');
  await page.reload();
  await expect(row(page, 'T12')).toBeVisible();
});

test('a repository is shown before it is added, and its bad path says why', async ({ page }) => {
  const engine = emptyScene();
  await open(page, engine);
  await page.getByRole('button', { name: 'Add repository' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add repository' });
  await dialog.getByLabel('Path of the repository').fill('/missing');
  await dialog.getByRole('button', { name: 'Look at it' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('/missing is no git work tree.');
  await dialog.getByLabel('Path of the repository').fill('/home/ada/src/tabular');
  await dialog.getByLabel('Path of the repository').press('Enter');
  await expect(dialog.getByText('npm run typecheck')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add repository' }).click();
  await expect(page.getByRole('dialog', { name: 'New tickets' })).toBeVisible();
  expect(asked(engine, 'repository.trust')[0]?.params).toMatchObject({ hash: 'hash-new' });
});

test('tickets show their problems with file and line, and submit once they have none', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await page.getByRole('button', { name: 'New tickets' }).click();
  const dialog = page.getByRole('dialog', { name: 'New tickets' });
  await expect(dialog.getByRole('alert')).toContainText('.md:3');
  await expect(dialog.getByRole('button', { name: 'Submit tickets' })).toBeDisabled();
  await dialog.getByRole('textbox').fill('---\nid: T77\ntitle: Mend it\n---\n\nMend it.\n');
  await expect(dialog.getByRole('list', { name: 'Tickets to submit' })).toContainText('T77');
  await dialog.getByRole('button', { name: 'Submit tickets' }).click();
  await expect(region(page, 'Queue').getByRole('row', { name: /Mend it/ })).toBeVisible();
});

test('a waiting job says why, and its reason leads to what holds it', async ({ page }) => {
  await open(page, busyScene());
  await row(page, 'T31').getByRole('button', { name: 'T12' }).click();
  await expect(row(page, 'T12')).toHaveAttribute('aria-selected', 'true');
  const inspector = region(page, 'Inspector');
  await expect(inspector.getByRole('heading', { level: 2 })).toHaveText('Document the streaming reader');
  await inspector.getByRole('tab', { name: 'Diff' }).click();
  await expect(inspector.getByText('while (at < text.length) {')).toBeVisible();
});

test('J and K walk the queue', async ({ page }) => {
  await open(page, busyScene());
  await expect(row(page, 'T9')).toBeVisible();
  await page.keyboard.press('j');
  await expect(row(page, 'T9')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('j');
  await expect(row(page, 'T12')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('k');
  await expect(row(page, 'T9')).toHaveAttribute('aria-selected', 'true');
});

test('a running job is cancelled only after a yes', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await row(page, 'T12').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Cancel job' }).click();
  expect(asked(engine, 'job.cancel')).toHaveLength(0);
  await page
    .getByRole('dialog', { name: /^Cancel T12/ })
    .getByRole('button', { name: 'Cancel job' })
    .click();
  await expect(row(page, 'T12')).toHaveAccessibleName(/cancelled/);
});

test('ten thousand jobs stay a short page', async ({ page }) => {
  await open(page, busyScene({ extraDone: 9000, extraWaiting: 1000 }));
  await expect(row(page, 'T12')).toBeVisible();
  expect(await region(page, 'Queue').getByRole('row').count()).toBeLessThan(120);
});

test('panes open by themselves, show output as it comes and acknowledge it', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  const pane = region(page, 'Pane T13 Add a dialect for semicolons');
  await expect(pane.locator('.xterm-rows')).toContainText('Read src/parse/quoted.ts');
  engine.print('session-13', 'and on it goes\r\n');
  await expect(pane.locator('.xterm-rows')).toContainText('and on it goes');
  const sent = new TextEncoder().encode(engine.output.get('session-13')).byteLength;
  await expect.poll(() => engine.acknowledged.get('session-13')).toBe(sent);
});

test('more running jobs than panes go to the background and come back', async ({ page }) => {
  await open(page, busyScene({ running: 10 }));
  const tray = region(page, 'Background sessions');
  await expect(tray).toContainText('4 in the background');
  await tray.getByRole('button', { name: 'T21' }).click();
  await expect(page.getByRole('region', { name: /^Pane T21/ })).toBeVisible();
  await expect(tray).toContainText('3 in the background');
});

test('the layout is the same after a reload', async ({ page }) => {
  await open(page, busyScene());
  const pane = page.getByRole('region', { name: /^Pane T12/ });
  await pane.getByRole('button', { name: 'Close to background' }).click();
  await expect(pane).toBeHidden();
  await page.reload();
  await expect(page.getByRole('region', { name: /^Pane T13/ })).toBeVisible();
  await expect(pane).toBeHidden();
});

test('a pane is dragged by its title to split another', async ({ page }) => {
  await open(page, busyScene());
  const title = page.getByRole('region', { name: /^Pane T12/ }).locator('header');
  const target = await page.getByRole('region', { name: /^Pane T15/ }).boundingBox();
  if (!target) throw new Error('the pane has no box');
  await title.hover({ position: { x: 60, y: 10 } });
  await page.mouse.down();
  await page.mouse.move(target.x + target.width - 20, target.y + target.height / 2, { steps: 4 });
  await page.mouse.up();
  const moved = page.getByRole('region', { name: /^Pane T12/ });
  await expect.poll(async () => ((await moved.boundingBox())?.x ?? 0) > target.x + 50).toBe(true);
});

test('a shell takes what a person types, and leaves Ctrl+K to the program', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await expect(row(page, 'T12')).toBeVisible();
  await page.keyboard.press('Control+e');
  await page.keyboard.press('Alt+t');
  await page
    .getByRole('dialog', { name: 'New terminal' })
    .getByRole('button', { name: 'Open shell' })
    .click();
  const pane = page.getByRole('region', { name: /^Pane shell/ });
  await expect(pane.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('ls');
  await page.keyboard.press('Control+k');
  await expect.poll(() => engine.typed.map((each) => each.text).join('')).toBe('ls\v');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('Control+Shift+k');
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
});

test('an interactive session is finished through gate and merge under a title', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await expect(row(page, 'T12')).toBeVisible();
  await page.keyboard.press('Alt+t');
  await page.getByRole('button', { name: 'Open shell' }).click();
  await page.getByRole('button', { name: 'Finish: gate and merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Finish session' });
  await dialog.getByLabel('Title').fill('Mend the parser by hand');
  await dialog.getByRole('button', { name: 'Finish: gate and merge' }).click();
  await expect(region(page, 'Inspector').getByRole('heading', { level: 2 })).toHaveText(
    'Mend the parser by hand',
  );
});

test('a pane is searched, and a link shows its target before it opens', async ({ page }) => {
  const engine = busyScene();
  engine.output.set('session-12', 'one needle\r\ntwo needles\r\nhttps://example.org/there\r\n');
  await open(page, engine);
  const pane = page.getByRole('region', { name: /^Pane T12/ });
  await expect(pane.locator('.xterm-rows')).toContainText('two needles');
  await pane.getByRole('button', { name: 'Search in pane' }).click();
  await pane.getByLabel('Search in scrollback').fill('needle');
  await expect(pane.getByRole('status')).toHaveText(/of 2$/);
  await page.keyboard.press('Escape');
  await expect(pane.getByLabel('Search in scrollback')).toBeHidden();
  const link = pane.getByText('https://example.org/there').first();
  // The terminal's own layer takes the pointer, not the text; and it draws its rows anew when its size changes.
  await expect(async () => {
    const box = await link.boundingBox({ timeout: 500 });
    await page.mouse.move((box?.x ?? 0) + 30, (box?.y ?? 0) + 6, { steps: 2 });
    await expect(pane.getByRole('tooltip')).toHaveText('https://example.org/there', { timeout: 500 });
  }).toPass();
  await page.mouse.down();
  await page.mouse.up();
  await expect(pane.getByRole('alertdialog')).toContainText('https://example.org/there');
});

test('a lost event is noticed and made good', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await expect(row(page, 'T12')).toBeVisible();
  const lost = job(60, { title: 'Was never announced' });
  engine.jobs.set(lost.id, lost);
  engine.loseEvent();
  engine.put('job.changed', job(61, { title: 'Shows the gap' }));
  await expect(row(page, 'T60')).toBeVisible();
  await expect(row(page, 'T61')).toBeVisible();
});

test('a lost connection is said, and everything comes back with it', async ({ page, context }) => {
  const engine = busyScene();
  await open(page, engine);
  const pane = page.getByRole('region', { name: /^Pane T12/ });
  await expect(pane.locator('.xterm-rows')).toContainText('Read');
  await context.setOffline(true);
  server.dropConnections();
  await expect(region(page, 'Gauges')).toContainText('Not connected');
  engine.print('session-12', 'printed meanwhile\r\n');
  await context.setOffline(false);
  await expect(pane.locator('.xterm-rows')).toContainText('printed meanwhile');
  await expect(region(page, 'Gauges')).not.toContainText('Not connected');
});

test('gauges have names, values and the limit that binds', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  engine.emit('gauges.sampled', gauges(0, engine, true));
  await expect(page.getByRole('meter', { name: 'Running' })).toHaveAttribute(
    'aria-valuetext',
    /4 \/ 4.*binds/,
  );
  await page.getByRole('meter', { name: 'CPU' }).hover();
  await expect(page.getByRole('tooltip')).toContainText('95th percentile');
});

test('slots are warmed with one click', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Slots' }).click();
  await page.getByRole('button', { name: 'Warm slots' }).click();
  await expect(page.getByRole('cell', { name: 'warming' })).toHaveCount(5);
  expect(asked(engine, 'slots.warm')[0]?.params).toEqual({ repoId: REPOSITORY.id, count: 4 });
});

test('the gate view asks for a yes to changed commands and shows evidence', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await page.getByRole('button', { name: 'Gate', exact: true }).click();
  await page.getByRole('button', { name: 'Agree to these commands' }).click();
  await expect(page.getByText('You agreed to these commands')).toBeVisible();
  await page.getByRole('button', { name: /T40/ }).click();
  await expect(page.getByText('keeps a quoted line feed')).toBeVisible();
});

test('the palette finds jobs and runs actions', async ({ page }) => {
  await open(page, busyScene());
  await expect(row(page, 'T12')).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('T15');
  await page.getByRole('option', { name: /T15 Write tests/ }).click();
  await expect(row(page, 'T15')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('show report');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main', { name: 'Report' })).toBeVisible();
});

test('a next attempt takes the pane of the last, and notices show until dismissed', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await expect(page.getByRole('region', { name: /^Pane T12/ })).toBeVisible();
  engine.end('session-12', 1);
  const again = running(12, 'agent', { attempts: 2, sessionId: 'session-again', seq: 9 });
  engine.output.set('session-again', 'second attempt\r\n');
  engine.put('session.changed', { ...session(again), id: 'session-again', createdAt: Date.now() });
  engine.put('job.changed', again);
  await expect(page.getByRole('region', { name: /^Pane T12/ })).toHaveCount(1);
  await expect(page.locator('.xterm-rows', { hasText: 'second attempt' })).toBeVisible();
  engine.emit('notice', { level: 'error', text: 'The disk is full.', at: Date.now() });
  const notices = region(page, 'Notices');
  await expect(notices).toContainText('The disk is full.');
  await notices.getByRole('button', { name: 'Dismiss' }).click();
  await expect(notices).not.toContainText('The disk is full.');
});

test('questions in a replay are not answered again, a live one is', async ({ page }) => {
  const engine = busyScene();
  engine.sessions.set('old-shell', {
    id: 'old-shell',
    kind: 'shell',
    repoId: REPOSITORY.id,
    title: 'shell: old',
    interactive: true,
    state: 'live',
    createdAt: Date.now() - 60_000,
  });
  // Where is the cursor? A program asked this a minute ago.
  engine.output.set('old-shell', 'before\x1b[6n\r\nreplayed\r\n');
  await open(page, engine);
  const pane = page.getByRole('region', { name: 'Pane shell: old' });
  await expect(pane.locator('.xterm-rows')).toContainText('replayed');
  expect(engine.typed).toEqual([]);
  // A person at the keyboard ends the replay.
  await pane.getByRole('textbox').focus();
  await page.keyboard.type('x');
  await expect.poll(() => engine.typed.map((each) => each.text)).toEqual(['x']);
  engine.print('old-shell', '\x1b[6n');
  await expect.poll(() => engine.typed.at(-1)?.text).toMatch(/^\x1b\[\d+;\d+R$/);
});

test('the queue and its menus work from the keyboard alone', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await expect(row(page, 'T9')).toBeVisible();
  await page.keyboard.press('Control+e');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Release' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(row(page, 'T9')).toHaveAccessibleName(/queued/);
  await page.keyboard.press('Control+2');
  await expect(page.getByRole('region', { name: /^Pane T13/ }).getByRole('textbox')).toBeFocused();
  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByRole('region', { name: /^Pane T12/ })).toBeHidden();
  await page.keyboard.press('Control+Shift+E');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: /^Pane T12/ })).toBeVisible();
});

test('commands that changed are agreed to from the job that waits for it', async ({ page }) => {
  const engine = busyScene();
  const commands = ['npm run lint', 'npm run new-step'];
  const waits = job(70, { state: 'held', cause: { code: 'needs-trust', commands, hash: 'hash-new' } });
  engine.jobs.set(waits.id, waits);
  await open(page, engine);
  await row(page, 'T70').click();
  await expect(region(page, 'Inspector').getByRole('list', { name: 'Commands' })).toContainText(
    'npm run new-step',
  );
  await region(page, 'Inspector').getByRole('button', { name: 'Agree to these commands' }).click();
  await expect.poll(() => asked(engine, 'repository.trust')[0]?.params).toMatchObject({ hash: 'hash-new' });
});

test('the content policy is kept: nothing violates it', async ({ page }) => {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.text().includes('Content Security Policy'))
      problems.push(message.text());
  });
  const engine = busyScene();
  await open(page, engine);
  await expect(page.locator('.xterm-rows').first()).toContainText('Read');
  for (const view of ['Slots', 'Gate', 'Ceiling', 'Report', 'Settings', 'Run']) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: view }).click();
    await expect(
      page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: view }),
    ).toHaveAttribute('aria-current', 'page');
  }
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  expect(problems).toEqual([]);
});
