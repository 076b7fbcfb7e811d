import headless from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerGate } from './answer-gate.ts';

/** All that this terminal answers to. */
const QUESTIONS = [
  '\x1b[c',
  '\x1b[>c',
  '\x1b[5n',
  '\x1b[6n',
  '\x1b[?6n',
  '\x1b[?2004$p',
  '\x1b[20$p',
  '\x1bP$qm\x1b\\',
  '\x1bP$qr\x1b\\',
  '\x1bP$q q\x1b\\',
];

describe('AnswerGate', () => {
  let terminal: InstanceType<typeof headless.Terminal>;
  let gate: AnswerGate;
  let said: string[];
  beforeEach(() => {
    terminal = new headless.Terminal({ allowProposedApi: true, cols: 80, rows: 24 });
    said = [];
    gate = new AnswerGate(terminal, {
      typed: (text) => void said.push(`typed ${text}`),
      answered: (text) => void said.push(`answered ${text}`),
    });
  });
  afterEach(() => terminal.dispose());
  const write = (text: string, answers: boolean): Promise<void> =>
    new Promise((resolve) => gate.write(text, resolve, answers));

  it.each(QUESTIONS)('answers %j once where it may, and not where it may not', async (question) => {
    await write(question, false);
    expect(said).toEqual([]);
    await write(question, true);
    expect(said.length).toBe(1);
    expect(said[0]).toMatch(/^answered \x1b/);
    await write(question, false);
    expect(said.length).toBe(1);
  });

  it('tells them apart however much is written before any of it is parsed', async () => {
    const written = [true, false, false, true, false, true].map((answers, index) =>
      write(`${'x'.repeat(index)}\x1b[6n\r\n`, answers),
    );
    await Promise.all(written);
    expect(said).toEqual([1, 4, 6].map((row) => `answered \x1b[${row};${row}R`));
  });

  it('goes by where a question ends', async () => {
    await write('\x1b[', false);
    await write('6n', true);
    await write('\x1b[', true);
    await write('6n', false);
    expect(said).toEqual(['answered \x1b[1;1R']);
  });

  it('lets through what a person types while a replay is parsed', async () => {
    const replay = write('\x1b[6n', false);
    terminal.input('ls\r');
    await replay;
    expect(said).toEqual(['typed ls\r']);
  });

  it('answers nothing more once its connection is gone', async () => {
    const late = write('\x1b[6n', true);
    gate.forget();
    await late;
    expect(said).toEqual([]);
    await write('\x1b[6n', true);
    expect(said.length).toBe(1);
  });

  it('does not begin where it could not tell a person from the terminal', () => {
    const other = { write: () => undefined, onData: () => undefined };
    expect(() => new AnswerGate(other, { typed: () => undefined, answered: () => undefined })).toThrow(
      /does not tell/,
    );
  });
});
