/* Waits for a line of input, then writes numbered lines of 100 bytes as fast as it can: node flood.mjs BYTES [coloured] */
import { writeSync } from 'node:fs';

const lines = Math.ceil(Number(process.argv[2]) / 100);
const padding = ' the quick brown fox jumps over the lazy dog 0123456789 and so on until the line is full x';

const text = (line, length) => `${String(line).padStart(10, '0')}${padding.slice(0, length - 12)}`;
/** As test runners print them. */
const coloured = (line) =>
  `\x1b[3${line % 8}m${text(line, 40)}\x1b[39m \x1b[1mok\x1b[22m ${padding.slice(0, 37)}\n`;
const lineOf = process.argv[3] === 'coloured' ? coloured : (line) => `${text(line, 100)}\n`;

function writeAll(bytes) {
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

process.stdin.once('data', () => {
  process.stdin.pause();
  for (let line = 0; line < lines; ) {
    let output = '';
    for (let count = 0; count < 600 && line < lines; count += 1, line += 1) {
      output += lineOf(line);
    }
    writeAll(Buffer.from(output));
  }
  writeAll(Buffer.from(`END ${lines}\n`));
});
