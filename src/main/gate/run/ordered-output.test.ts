import { expect, it } from 'vitest';
import { OrderedOutput } from './ordered-output.ts';

function lanes(count: number): {
  output: OrderedOutput;
  say(index: number, text: string): void;
  shown(): string;
} {
  let shown = '';
  const output = new OrderedOutput(count, (bytes) => {
    shown += Buffer.from(bytes).toString('utf8');
  });
  return { output, say: (index, text) => output.write(index, Buffer.from(text)), shown: () => shown };
}

it('shows the earliest as it comes and the others as a whole behind it', () => {
  const { output, say, shown } = lanes(3);
  say(0, 'a1 ');
  say(2, 'c1 ');
  say(1, 'b1 ');
  say(0, 'a2 ');
  expect(shown()).toBe('a1 a2 ');
  output.end(1, true);
  output.end(0, true);
  expect(shown()).toBe('a1 a2 b1 c1 ');
  say(2, 'c2');
  expect(shown()).toBe('a1 a2 b1 c1 c2');
});

it('shows nothing behind the first that does not go on', () => {
  const { output, say, shown } = lanes(3);
  say(1, 'red ');
  say(2, 'later ');
  output.end(1, false);
  say(2, 'later still ');
  say(0, 'green ');
  output.end(0, true);
  output.end(2, true);
  expect(shown()).toBe('green red ');
});

it('keeps the heading and the end of a flood that waits for its turn', () => {
  const { output, say, shown } = lanes(2);
  say(1, 'heading ');
  for (let line = 0; line < 3000; line += 1) say(1, `${String(line).padEnd(1000, '.')} `);
  output.end(0, true);
  expect(shown()).toMatch(/^heading … \d+ bytes are left out here\r\n/);
  expect(shown()).toContain('2999.');
  expect(shown().length).toBeLessThan(1.1 * 1024 * 1024);
});
