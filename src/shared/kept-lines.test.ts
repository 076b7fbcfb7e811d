import headless from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keptLinesOf } from './kept-lines.ts';

describe('keptLinesOf', () => {
  let terminal: InstanceType<typeof headless.Terminal>;
  let keptLines: () => number | undefined;
  beforeEach(() => {
    terminal = new headless.Terminal({ cols: 20, rows: 10, scrollback: 100, allowProposedApi: true });
    keptLines = keptLinesOf(terminal);
  });
  afterEach(() => {
    terminal.dispose();
  });
  const print = (text: string): Promise<void> => new Promise((resolve) => terminal.write(text, resolve));

  it('is the scrollback and twice the screen', async () => {
    expect(keptLines()).toBe(120);
    await print('text\r\n\u001b[1;10r');
    expect(keptLines()).toBe(120);
    terminal.resize(20, 30);
    expect(keptLines()).toBe(160);
  });

  it('is unknown while a scroll region is set, on each of the two screens by itself', async () => {
    await print('\u001b[3;9r');
    expect(keptLines()).toBeUndefined();
    await print('\u001b[?1049h\u001b[r');
    expect(keptLines()).toBe(120);
    await print('\u001b[?1049l');
    expect(keptLines()).toBeUndefined();
    await print('\u001b[r');
    expect(keptLines()).toBe(120);
  });
});
