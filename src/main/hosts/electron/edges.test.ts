import { describe, expect, test } from 'vitest';
import { toExternalUrl } from './links.ts';
import { menuTemplate } from './menu.ts';
import { within } from './within.ts';

describe('links that leave the window', () => {
  test('web addresses go to the browser', () => {
    expect(toExternalUrl('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
    expect(toExternalUrl('HTTP://EXAMPLE.org')).toBe('http://example.org/');
  });

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ssh://host',
    'ms-msdt:/id',
    'app://headway/',
    'https://user:secret@example.org',
    'https://',
    'nonsense',
    '',
  ])('%s does not', (link) => {
    expect(toExternalUrl(link)).toBeUndefined();
  });
});

describe('the menu', () => {
  const roles = (platform: NodeJS.Platform): string => JSON.stringify(menuTemplate(platform));

  test("leaves the shells' keys alone where menus use Ctrl", () => {
    for (const platform of ['linux', 'win32'] as const) {
      expect(roles(platform)).not.toMatch(/"(close|reload|forceReload|fileMenu|viewMenu|windowMenu)"/);
      expect(roles(platform)).toContain('"quit"');
    }
  });

  test('has what a Mac expects', () => {
    expect(roles('darwin')).toMatch(/appMenu.*editMenu.*windowMenu/);
  });
});

describe('a bounded wait', () => {
  test('says whether the work was done, failed or is late', async () => {
    expect(await within(Promise.resolve(), 60_000)).toBe('done');
    expect(await within(Promise.reject(new Error('no')), 60_000)).toBe('failed');
    expect(await within(new Promise(() => {}), 1)).toBe('late');
  });
});
