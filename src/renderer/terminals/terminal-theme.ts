import type { ISearchOptions } from '@xterm/addon-search';
import type { ITheme } from '@xterm/xterm';

const read = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The terminal's colours come from the same tokens as everything else. */
export function terminalTheme(): ITheme {
  return {
    background: read('term-background'),
    foreground: read('term-foreground'),
    cursor: read('accent'),
    cursorAccent: read('term-background'),
    selectionBackground: read('term-selection'),
    scrollbarSliderBackground: read('term-slider'),
    scrollbarSliderHoverBackground: read('term-slider'),
    scrollbarSliderActiveBackground: read('term-slider'),
    overviewRulerBorder: read('term-background'),
    black: read('term-black'),
    red: read('term-red'),
    green: read('term-green'),
    yellow: read('term-yellow'),
    blue: read('term-blue'),
    magenta: read('term-magenta'),
    cyan: read('term-cyan'),
    white: read('term-white'),
    brightBlack: read('term-bright-black'),
    brightRed: read('term-red'),
    brightGreen: read('term-green'),
    brightYellow: read('term-yellow'),
    brightBlue: read('term-blue'),
    brightMagenta: read('term-magenta'),
    brightCyan: read('term-cyan'),
    brightWhite: read('term-foreground'),
  };
}

export function searchOptions(): ISearchOptions {
  return {
    decorations: {
      matchBackground: read('match'),
      matchOverviewRuler: read('match'),
      activeMatchBackground: read('match-active'),
      activeMatchColorOverviewRuler: read('match-active'),
    },
  };
}

export function onThemeChange(listener: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
