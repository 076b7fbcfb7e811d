import { resolve } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { HeadwayError } from '../src/shared/errors.ts';
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

/** The window with a shell in a pane, by the keyboard. */
async function openShell(page: Page, engine: MockEngine): Promise<void> {
  await open(page, engine);
  await expect(row(page, 'T12')).toBeVisible();
  await page.keyboard.press('Alt+t');
  await page.getByRole('button', { name: 'Open shell' }).click();
}

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
  await expect(dialog.getByRole('button', { name: 'Submit tickets' })).toBeDisabled();
  // What nobody has written yet is not wrong.
  expect(asked(engine, 'tickets.check')).toEqual([]);
  await dialog.getByRole('textbox').press('Control+End');
  await page.keyboard.type('Mend it.');
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
  await openShell(page, engine);
  await page.getByRole('button', { name: 'Finish: gate and merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Finish session' });
  await dialog.getByLabel('Title').fill('Mend the parser by hand');
  await dialog.getByRole('button', { name: 'Finish: gate and merge' }).click();
  await expect(region(page, 'Inspector').getByRole('heading', { level: 2 })).toHaveText(
    'Mend the parser by hand',
  );
});

test('what goes wrong in a dialog is read and dismissed there, and the keyboard stays where it was', async ({
  page,
}) => {
  const engine = busyScene();
  await openShell(page, engine);
  await page.getByRole('button', { name: 'Finish: gate and merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Finish session' });
  await dialog.getByLabel('Title').fill('By hand');
  engine.failures.set('session.finish', new HeadwayError('bad-input', 'The session changed nothing.'));
  const finish = dialog.getByRole('button', { name: 'Finish: gate and merge' });
  await finish.press('Enter');
  const notices = region(page, 'Notices');
  await expect(notices).toContainText('The session changed nothing.');
  await expect(finish).toBeFocused();
  // A click goes to what lies on top: not to the notice where the dialog covers it.
  await notices.getByRole('button', { name: 'Dismiss' }).click({ timeout: 5000 });
  await expect(notices).not.toContainText('The session changed nothing.');
  await expect(dialog).toBeVisible();
  // The engine ends a session that changed nothing: there is nothing to try again.
  const claimed = [...engine.slots.values()].find((each) => each.sessionId?.startsWith('shell-'));
  if (claimed) engine.put('slot.changed', { ...claimed, state: 'ready', sessionId: undefined });
  await expect(dialog).toBeHidden();
  const menu = page.getByRole('menu', { name: /^Actions of pane shell/ });
  await page
    .getByRole('region', { name: /^Pane shell/ })
    .getByRole('button', { name: 'Pane actions' })
    .click();
  await expect(menu).toBeVisible();
  await expect(menu.getByRole('menuitem', { name: /^(Finish|Close session)/ })).toHaveCount(0);
});

test('the keyboard goes on in the next pane when one is closed', async ({ page }) => {
  await open(page, busyScene());
  const panes = page.getByRole('region', { name: /^Pane T/ });
  await expect(panes.nth(1)).toBeVisible();
  const next = await panes.nth(1).getAttribute('aria-label');
  await panes.first().getByRole('button', { name: 'Close to background' }).press('Enter');
  await expect(panes.first()).toHaveAccessibleName(next ?? '');
  await expect(panes.first().getByRole('textbox')).toBeFocused();
});

test('the way out of a session takes one line of a narrow pane', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  await openShell(page, busyScene());
  const pane = page.getByRole('region', { name: /^Pane shell/ });
  const words = pane.getByText('nothing merges until you say so');
  await expect(words).toBeVisible();
  expect((await words.boundingBox())?.height).toBeLessThan(24);
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
  const notice = page.getByRole('alert').filter({ hasText: /Headway has not answered since .*Trying again/ });
  await expect(notice).toBeVisible();
  // Nobody knows what goes on since: running times stand still.
  const timesAtNextTick = async () => {
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1100)));
    return page.locator('time').allTextContents();
  };
  expect(await timesAtNextTick()).toEqual(await timesAtNextTick());
  engine.print('session-12', 'printed meanwhile\r\n');
  await context.setOffline(false);
  await expect(pane.locator('.xterm-rows')).toContainText('printed meanwhile');
  await expect(notice).toBeHidden();
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

test('groups of the queue fold, and the inspector is reached, by keys', async ({ page }) => {
  await open(page, busyScene());
  await expect(row(page, 'T9')).toBeVisible();
  await page.keyboard.press('Control+e');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(row(page, 'T12')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowLeft');
  await expect(row(page, 'T13')).toBeHidden();
  await page.keyboard.press('ArrowRight');
  await expect(row(page, 'T13')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(region(page, 'Inspector').getByRole('tab', { name: 'Overview' })).toBeFocused();
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

const show = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: view }).click();

test('the audit says what the gate leaves out, and one click wires a step', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Gate');
  const audit = region(page, 'Audit');
  await expect(audit.getByRole('status')).toHaveText(
    '3 findings; 2 hide work, so the gate is not called green; 1 accepted',
  );
  const findings = audit.getByRole('list', { name: 'Findings' }).locator(':scope > li');
  // What matters first, what is accepted last.
  await expect(findings).toHaveText([
    /^error.*0 source/,
    /^error12 test/,
    /^warning/,
    /^note/,
    /accepted$|Accepted/,
  ]);
  const lost = audit.getByRole('listitem', { name: /^12 test files/ });
  await expect(lost).toContainText('hides work');
  await expect(lost).toContainText('node --test looks below test/ alone');
  await expect(lost.getByText('examples/reader-12.test.ts')).toBeHidden();
  await lost.getByText('9 more').click();
  await expect(lost.getByText('examples/reader-12.test.ts')).toBeVisible();
  await lost.getByText('Show the patch').click();
  await expect(lost.getByText('+    "test": "node --test test/ examples/"')).toBeVisible();
  await audit
    .getByRole('listitem', { name: /^types: 0 source/ })
    .getByRole('button', { name: 'Wire it' })
    .click();
  await expect(audit.getByRole('status')).toHaveText(
    '2 findings; 1 hides work, so the gate is not called green; 1 accepted',
  );
  expect(asked(engine, 'gate.fix')[0]?.params).toEqual({ repoId: REPOSITORY.id, runs: ['npx tsc -b'] });
  await expect(region(page, 'Notices')).toContainText('policies/repo-1.yaml: tsc -b');
  // The proof was of another gate.
  await expect(region(page, 'Proof')).toContainText('stale');
});

test('a finding is accepted only with a reason, which then stands beside it', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Gate');
  const finding = page.getByRole('listitem', { name: 'the script test:browser is in no step' });
  await finding.getByRole('button', { name: 'Accept…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Accept finding' });
  await expect(dialog.getByRole('button', { name: 'Accept' })).toBeDisabled();
  await dialog.getByLabel('Reason').fill('runs every night');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await expect(finding).toContainText('Accepted: runs every night');
  await expect(finding.getByRole('button')).toHaveCount(0);
  // Its button is gone: the keyboard goes on beside it, not at the top of the page.
  await expect(region(page, 'Audit').locator(':focus')).toHaveCount(1);
  expect(asked(engine, 'gate.accept')[0]?.params).toEqual({
    repoId: REPOSITORY.id,
    finding: 'script-not-wired',
    reason: 'runs every night',
    files: ['package.json'],
  });
});

test('an audit shows that it works, why it failed, and when there is nothing to mend', async ({ page }) => {
  const engine = busyScene();
  const held = Promise.withResolvers<void>();
  engine.delays.set('gate.audit', held.promise);
  engine.failures.set('gate.audit', new HeadwayError('bad-input', 'tabular has no branch main'));
  await open(page, engine);
  await show(page, 'Gate');
  const audit = region(page, 'Audit');
  await expect(audit.getByRole('status')).toHaveText('Reads the base branch…');
  await expect(audit.getByRole('button', { name: 'Audit again' })).toBeDisabled();
  held.resolve();
  await expect(audit.getByRole('alert')).toHaveText('The audit failed: tabular has no branch main');
  engine.failures.clear();
  engine.reports.audit = { ...engine.reports.audit, findings: [] };
  await audit.getByRole('button', { name: 'Audit again' }).click();
  await expect(audit.getByRole('status')).toHaveText('nothing to mend');
  await expect(audit.getByRole('alert')).toBeHidden();
});

test('a proof tells which step caught which break, and goes stale', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Gate');
  const proof = region(page, 'Proof');
  await expect(proof.getByRole('status')).toHaveText('7 of 8 breaks caught, 1 missed');
  await expect(proof.getByText('fresh', { exact: true })).toBeVisible();
  const matrix = proof.getByRole('table', { name: 'Breaks by area' });
  await expect(matrix.getByRole('columnheader')).toHaveText([
    'Area',
    'type',
    'lint',
    'import',
    'assertion',
    'logic',
    'build',
  ]);
  await expect(matrix.getByRole('row', { name: /^src\/parse/ }).getByRole('cell')).toHaveText([
    'caughttypes',
    'caughtlint',
    'caughttypes',
    '',
    'caughttest',
    'not applicable',
  ]);
  await expect(proof.getByRole('list', { name: 'Missed breaks' })).toContainText('no test reaches this line');
  await matrix.getByRole('button', { name: 'Prove src/parse alone' }).first().click();
  expect(asked(engine, 'gate.prove')[0]?.params).toEqual({ repoId: REPOSITORY.id, area: 'src/parse' });
  await expect(proof.getByRole('status')).toHaveText('Proving src/parse: the gate as it is');
  await expect(matrix.getByRole('button', { name: 'Prove src/parse alone' }).first()).toBeDisabled();
  await proof.getByRole('button', { name: 'Cancel the proof' }).click();
  await expect(proof.getByRole('alert')).toContainText('the tree is as it was');
  await expect(proof.getByRole('button', { name: 'Cancel the proof' })).toBeHidden();
  const { proof: whole } = engine.reports.proof;
  if (!whole) throw new Error('the scene has a proof');
  const { error: _error, ...calm } = engine.reports.proof;
  engine.sayProof({
    ...calm,
    part: { area: 'src/parse', proof: { ...whole, cells: whole.cells.slice(0, 1) } },
  });
  await expect(region(page, 'Proof of src/parse alone')).toContainText('1 of 1 breaks caught');
  engine.sayProof({ ...engine.reports.proof, fresh: false });
  await expect(proof.getByText('stale', { exact: true })).toBeVisible();
  await expect(proof).toContainText('Prove again');
});

test('proving shows its course and its end, also one that failed', async ({ page }) => {
  const engine = busyScene();
  engine.reports.proof = { repoId: REPOSITORY.id, running: false, fresh: false };
  await open(page, engine);
  await show(page, 'Gate');
  const proof = region(page, 'Proof');
  await expect(proof).toContainText('Not proved yet.');
  await proof.getByRole('button', { name: 'Prove' }).click();
  await expect(proof.getByRole('status')).toHaveText('Proving: the gate as it is');
  await expect(proof.getByRole('button', { name: 'Proving…' })).toBeDisabled();
  expect(asked(engine, 'gate.prove')).toHaveLength(1);
  engine.sayProof({ ...engine.reports.proof, progress: '6 breaks (type, lint)' });
  await expect(proof.getByRole('status')).toHaveText('Proving: 6 breaks (type, lint)');
  engine.sayProof({ repoId: REPOSITORY.id, running: false, fresh: false, error: 'no slot was ready' });
  await expect(proof.getByRole('alert')).toHaveText('The proof ended early: no slot was ready');
  await expect(proof.getByRole('button', { name: 'Prove' })).toBeEnabled();
  const red = {
    path: REPOSITORY.path,
    repoId: REPOSITORY.id,
    commit: 'a1b2c3d4e5f6',
    key: 'k',
    at: Date.now(),
  };
  engine.sayProof({
    repoId: REPOSITORY.id,
    running: false,
    fresh: true,
    proof: {
      ...red,
      ms: 900,
      gateRuns: 1,
      provable: false,
      reason: 'lint is red',
      cells: [],
      restored: true,
    },
  });
  await expect(proof.getByRole('alert')).toHaveText('Nothing could be proved: lint is red');
});

test('the doctor tells what the place of the slots costs, and starts a fix', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Slots');
  const doctor = region(page, 'Doctor');
  const line = (name: RegExp) => doctor.getByRole('row', { name });
  await expect(line(/Volume of the slots/)).toContainText('ok');
  await expect(line(/Copies without copying/)).toContainText('unknown');
  await expect(line(/File watches/)).toContainText('a dev server in a slot stops noticing changes');
  // What needs an administrator is shown, not started.
  await expect(line(/File watches/).getByRole('button', { name: /^Fix/ })).toHaveCount(0);
  await expect(line(/File watches/)).toContainText('sudo sysctl');
  await doctor.getByRole('button', { name: 'Fix Package store' }).click();
  await expect(line(/Package store/)).toContainText('beside the slots');
  await expect(line(/Package store/)).toContainText('ok');
  await expect(region(page, 'Notices')).toContainText('ran the fix of store');
  expect(asked(engine, 'slots.doctor').at(-1)?.params).toEqual({ repoId: REPOSITORY.id, fix: 'store' });
  engine.failures.set('slots.doctor', new HeadwayError('unavailable', 'the disk is gone'));
  await doctor.getByRole('button', { name: 'Examine again' }).click();
  await expect(doctor.getByRole('alert')).toContainText('the disk is gone');
});

test('slots tell their size', async ({ page }) => {
  await open(page, busyScene());
  await show(page, 'Slots');
  await expect(page.getByRole('row', { name: /^slot-1 / })).toContainText('1.4 GB');
  await expect(
    page.getByRole('main', { name: 'Slots' }).getByText(/^1\.4 GB of 40\.0 GB, \d not/),
  ).toBeVisible();
});

test('a slot in quarantine says why, and is rebuilt with one click', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Slots');
  const quarantined = page.getByRole('row', { name: /^slot-3 / });
  await expect(quarantined).toContainText('a process of the last job would not end');
  await quarantined.getByRole('button', { name: 'Rebuild slot-3' }).click();
  await expect(quarantined).toContainText('is built anew');
  expect(asked(engine, 'slot.rebuild').map(({ params }) => params)).toEqual([{ slotId: 'slot-3' }]);
});

test('kept work is recovered as a branch, and a name that is taken says so', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Slots');
  const kept = page.getByRole('list', { name: 'Saved work' });
  await expect(kept.getByRole('listitem', { name: /^T41/ })).toContainText('on the base already');
  const work = kept.getByRole('listitem', { name: /^T44/ });
  await expect(work).toContainText('231 files');
  await work.getByText('228 more').click();
  await expect(work).toContainText('and 31 that are not listed');
  await work.getByRole('button', { name: 'Recover as branch' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recover as branch' });
  await expect(dialog.getByLabel('Branch')).toHaveValue('recovered/t44-44f2c1e');
  await dialog.getByLabel('Branch').fill('main');
  await dialog.getByRole('button', { name: 'Recover', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('Choose another name');
  await dialog.getByLabel('Branch').fill('rescue/whitespace');
  await dialog.getByRole('button', { name: 'Recover', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(region(page, 'Notices')).toContainText('Branch rescue/whitespace is at 44f2c1e7ab');
  expect(asked(engine, 'kept.recover').at(-1)?.params).toEqual({
    repoId: REPOSITORY.id,
    ref: 'refs/headway/kept/job-44-attempt-1',
    branch: 'rescue/whitespace',
  });
});

test('kept work that is nowhere else is let go only after a yes', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await show(page, 'Slots');
  const kept = page.getByRole('list', { name: 'Saved work' });
  await kept.getByRole('button', { name: /^Let go of T41/ }).click();
  await expect(kept.getByRole('listitem', { name: /^T41/ })).toHaveCount(0);
  await kept.getByRole('button', { name: /^Let go of T44/ }).click();
  expect(asked(engine, 'kept.drop')).toHaveLength(1);
  await page.getByRole('dialog').getByRole('button', { name: 'Let it go' }).click();
  await expect(kept.getByRole('listitem', { name: /^T44/ })).toHaveCount(0);
  engine.reports.kept = [];
  await region(page, 'Saved work').getByRole('button', { name: 'Look again' }).click();
  await expect(region(page, 'Saved work')).toContainText('No saved work.');
});

test('an attempt shows its notes and what changed in the clone meanwhile', async ({ page }) => {
  await open(page, busyScene());
  await row(page, 'T9').click();
  const attempts = region(page, 'Inspector').getByRole('region', { name: 'Attempts' });
  await expect(attempts.getByRole('list', { name: 'Notes' })).toContainText('pre-commit');
  await expect(
    attempts.getByRole('list', { name: 'Changed in your clone meanwhile' }).getByRole('listitem'),
  ).toHaveText(['refs/heads/main moved from 4b825dc6 to 9f2c1e7a', 'config: user.email was set']);
});

test('a pull request that a job waits for shows its target before it opens', async ({ page, context }) => {
  const engine = busyScene();
  const url = 'https://forge.example/ada/tabular/pull/18';
  const waits = job(71, { state: 'held', cause: { code: 'awaits-pull-request', url, merged: false } });
  engine.jobs.set(waits.id, waits);
  await context.route(url, (route) => route.fulfill({ body: 'the pull request' }));
  await open(page, engine);
  await row(page, 'T71').click();
  await region(page, 'Inspector').getByRole('button', { name: url }).click();
  const bar = page.getByRole('alertdialog', { name: 'Open link' });
  await expect(bar).toContainText(url);
  expect(context.pages()).toHaveLength(1);
  const opened = context.waitForEvent('page');
  await bar.getByRole('button', { name: 'Open outside' }).click();
  await expect((await opened).getByText('the pull request')).toBeVisible();
  await expect(bar).toBeHidden();
});

test('a pull request link that is no web page stays text', async ({ page }) => {
  const engine = busyScene();
  const url = 'javascript:alert(1)';
  const waits = job(72, { state: 'held', cause: { code: 'awaits-pull-request', url, merged: true } });
  engine.jobs.set(waits.id, waits);
  await open(page, engine);
  await row(page, 'T72').click();
  const why = region(page, 'Inspector').getByRole('region', { name: 'Why' });
  await expect(why).toContainText(url);
  await expect(why.getByRole('button')).toHaveCount(0);
});

test('the keyboard leaves a pane that takes no input, and the window keeps its keys there', async ({
  page,
}) => {
  const engine = busyScene();
  await open(page, engine);
  const pane = region(page, 'Pane T12 Document the streaming reader');
  await pane.getByRole('button', { name: 'Pane actions' }).focus();
  await page.keyboard.press('Tab');
  await expect(pane.getByRole('textbox')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(pane.getByRole('textbox')).not.toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('a pane whose output is gone says so', async ({ page }) => {
  const engine = busyScene();
  const old = job(80, { state: 'failed', sessionId: 'session-80', endedAt: Date.now() });
  engine.jobs.set(old.id, old);
  engine.sessions.set('session-80', session(old, 'exited'));
  await open(page, engine);
  await row(page, 'T80').click();
  await region(page, 'Inspector').getByRole('button', { name: 'Show pane' }).click();
  const pane = page.getByRole('region', { name: /^Pane T80/ });
  await expect(pane.locator('.xterm-rows')).toContainText('older than what the settings keep');
});

test('another base branch shows the commands of that branch before they are agreed to', async ({ page }) => {
  const engine = emptyScene();
  await open(page, engine);
  await page.getByRole('button', { name: 'Add repository' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add repository' });
  await dialog.getByLabel('Path of the repository').fill('/home/ada/src/tabular');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Base branch').selectOption('next');
  await expect.poll(() => asked(engine, 'repository.inspect').at(-1)?.params).toMatchObject({ base: 'next' });
  await expect(dialog.getByLabel('Base branch')).toHaveValue('next');
  await dialog.getByRole('button', { name: 'Add repository' }).click();
  await expect.poll(() => asked(engine, 'repository.add')[0]?.params).toMatchObject({ base: 'next' });
});

test('in a small window with many jobs the panes stay readable, and come back with the room', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  await open(page, busyScene({ running: 8 }));
  const panes = page.getByRole('region', { name: /^Pane / });
  await expect(panes).toHaveCount(6);
  await row(page, 'T12').click();
  await expect(panes).toHaveCount(4);
  await expect(region(page, 'Background sessions').getByRole('button')).toHaveCount(4);
  await page.getByRole('button', { name: 'Close inspector' }).click();
  await expect(panes).toHaveCount(6);
});

test('settings of the disk and of one user are changed, and a limit is taken away', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel(/All slots together/).fill('64');
  await page.keyboard.press('Enter');
  await expect.poll(() => engine.settings.slotDiskBytes).toBe(64 * 1024 ** 3);
  const user = page.getByLabel(/Jobs at once of one user/);
  await user.fill('3');
  await user.blur();
  await expect.poll(() => engine.settings.maxJobsPerUser).toBe(3);
  // The window has heard of it too.
  await expect(user).toHaveJSProperty('defaultValue', '3');
  await page.getByLabel(/Jobs at once of one user/).fill('');
  await page.getByLabel(/Jobs at once of one user/).blur();
  await expect.poll(() => engine.settings.maxJobsPerUser).toBeUndefined();
});

test('a setting that is refused says why and stays what it was', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  const installs = page.getByLabel('Installs at once');
  const before = await installs.inputValue();
  await installs.fill('0');
  await installs.blur();
  await expect(installs).toHaveValue(before);
  await expect(region(page, 'Notices')).toContainText(`from 1 to 8 and stays ${before}`);
  const agent = page.getByLabel('Default agent');
  const agentBefore = await agent.inputValue();
  engine.failures.set('settings.set', new HeadwayError('bad-input', "agent 'foo' is not known"));
  await agent.fill('foo');
  await agent.blur();
  await expect(region(page, 'Notices')).toContainText("agent 'foo' is not known");
  await expect(agent).toHaveValue(agentBefore);
});

test("a job's page takes the place of the panes and gives it back", async ({ page }) => {
  await open(page, busyScene());
  await row(page, 'T12').click();
  const inspector = region(page, 'Inspector');
  const narrow = (await inspector.boundingBox())?.width ?? 0;
  await inspector.getByRole('tab', { name: 'Diff' }).click();
  await inspector.getByRole('button', { name: 'Maximise inspector' }).press('Enter');
  await expect(region(page, 'Panes')).toBeHidden();
  expect((await inspector.boundingBox())?.width).toBeGreaterThan(narrow * 2);
  await expect(inspector.getByRole('button', { name: 'Restore inspector' })).toBeFocused();
  await expect(inspector.getByText('while (at < text.length) {')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: /^Pane T12/ })).toContainText('Read');
  await inspector.getByRole('button', { name: 'Maximise inspector' }).click();
  await inspector.getByRole('tab', { name: 'Overview' }).click();
  await inspector.getByRole('button', { name: 'Show pane' }).click();
  await expect(page.getByRole('region', { name: /^Pane T12/ })).toBeVisible();
  expect((await inspector.boundingBox())?.width).toBeCloseTo(narrow, -1);
});

test('a pane without output says what its job does or waits for', async ({ page }) => {
  const engine = busyScene();
  const waits = running(70, 'install', {
    cause: { code: 'waits-for-install', limit: 1 },
  });
  engine.jobs.set(waits.id, waits);
  engine.sessions.set('session-70', session(waits));
  await open(page, engine);
  const pane = page.getByRole('region', { name: /^Pane T70/ });
  await expect(pane).toContainText('waits for its turn to install');
  engine.print('session-70', 'added 12 packages\r\n');
  await expect(pane).toContainText('added 12 packages');
  await expect(pane).not.toContainText('waits for its turn');
});

test('a job that another process runs says where its output is', async ({ page }) => {
  const engine = busyScene();
  engine.sessions.delete('session-12');
  await open(page, engine);
  await row(page, 'T12').click();
  const inspector = region(page, 'Inspector');
  await expect(inspector).toContainText('Another Headway process runs it.');
  await expect(inspector.getByRole('button', { name: 'Show pane' })).toBeHidden();
});

test('files of tickets stand in the order of their numbers', async ({ page }) => {
  await open(page, busyScene());
  await page.getByRole('button', { name: 'New tickets' }).click();
  const dialog = page.getByRole('dialog', { name: 'New tickets' });
  const file = (name: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(`# ${name}\n`) });
  await dialog.locator('input[type=file]').setInputFiles([file('10-b.md'), file('2-a.md'), file('1-c.md')]);
  await expect(dialog.getByRole('button', { name: /^\d+-.\.md$/ })).toHaveText([
    '1-c.md',
    '2-a.md',
    '10-b.md',
  ]);
});

test('a gauge whose number changes does not move those beside it', async ({ page }) => {
  const engine = busyScene();
  await open(page, engine);
  const sample = gauges(0, engine, false);
  const left = async (usedShare: number): Promise<number | undefined> => {
    engine.emit('gauges.sampled', { ...sample, cpu: { ...sample.cpu, usedShare } });
    const cpu = page.getByRole('meter', { name: 'CPU' });
    await expect(cpu).toHaveAttribute('aria-valuetext', new RegExp(`^${usedShare * 100} %`));
    return (await page.getByRole('meter', { name: 'RAM' }).boundingBox())?.x;
  };
  expect(await left(0)).toBe(await left(1));
});

test('rows that are read stay under the pointer while others above them end', async ({ page }) => {
  const engine = busyScene({ extraWaiting: 60 });
  await open(page, engine);
  await expect(row(page, 'T12')).toBeVisible();
  const queue = page.locator('[data-queue]');
  await queue.evaluate((list) => list.scrollTo(0, 1200));
  const read = row(page, 'T20020');
  await expect(read).toBeVisible();
  const before = await read.boundingBox();
  for (const number of [31, 32, 33]) {
    engine.put('job.changed', { ...job(number), state: 'merged', cause: undefined, endedAt: 1, seq: 9 });
  }
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', /^\d+$/);
  await expect.poll(() => queue.evaluate((list) => list.scrollTop)).toBeLessThan(1200);
  expect((await read.boundingBox())?.y).toBe(before?.y);
});

test('the other views open also while the engine is gone', async ({ page, context }) => {
  const files: string[] = [];
  page.on('requestfinished', (request) => files.push(new URL(request.url()).pathname));
  await open(page, busyScene());
  for (const view of ['slots', 'gate', 'ceiling', 'report', 'settings']) {
    await expect.poll(() => files.some((file) => file.includes(`${view}-view`))).toBe(true);
  }
  await context.setOffline(true);
  server.dropConnections();
  await expect(page.getByText('Headway has not answered since')).toBeVisible();
  for (const view of ['Slots', 'Gate', 'Ceiling', 'Report', 'Settings']) {
    await show(page, view);
    await expect(page.getByRole('main', { name: view })).toBeVisible();
  }
});

test('a small window keeps what can be done with a slot in reach, and is no longer than it is high', async ({
  page,
}) => {
  await page.setViewportSize({ width: 800, height: 500 });
  const engine = busyScene();
  const claimed = engine.slots.get('slot-12');
  if (claimed) engine.slots.set('slot-12', { ...claimed, reason: 'a reason that takes a line '.repeat(8) });
  await open(page, engine);
  await row(page, 'T12').click();
  await expect(region(page, 'Inspector')).toContainText('Stages');
  const longer = () =>
    page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
  expect(await longer()).toBe(0);
  await show(page, 'Slots');
  await expect(page.getByRole('button', { name: 'Remove slot-3' })).toBeInViewport({ ratio: 1 });
  expect(await longer()).toBe(0);
});

test('commands in a hint are set as code, not between backticks', async ({ page }) => {
  await open(page, emptyScene());
  const agents = page.getByRole('list', { name: 'Agents' });
  await expect(agents).toContainText('Codex: run npm install -g @openai/codex');
  await expect(agents.locator('code')).toHaveText('npm install -g @openai/codex');
});

test('the report of jobs shows its bars whole also in a narrow window', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  const engine = busyScene();
  const long = 3_700_000;
  const stages = { slot: long, checkout: long, install: long, agent: long, gate: long, merge: long };
  const ended = job(90, { title: 'A title that is longer than its column is wide '.repeat(3) });
  engine.jobs.set(ended.id, { ...ended, state: 'merged', queuedMs: long, stages });
  await open(page, engine);
  await show(page, 'Report');
  const head = page.getByRole('columnheader', { name: 'Of its run' });
  await expect(head).toBeInViewport({ ratio: 1 });
  const beyond = await head.evaluate((cell) => {
    const place = cell.closest('div');
    return place ? place.scrollWidth - place.clientWidth : undefined;
  });
  expect(beyond).toBe(0);
});
