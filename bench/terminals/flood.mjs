/* Waits for a line of input, then writes numbered lines of 100 bytes as fast as it can: node flood.mjs BYTES */
import { writeSync } from 'node:fs';

const lines = Math.ceil(Number(process.argv[2]) / 100);
const padding = ' the quick brown fox jumps over the lazy dog 0123456789 and so on until the line is full x';

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
    let text = '';
    for (let count = 0; count < 600 && line < lines; count += 1, line += 1) {
      text += `${String(line).padStart(10, '0')}${padding.slice(0, 88)}\n`;
    }
    writeAll(Buffer.from(text));
  }
  writeAll(Buffer.from(`END ${lines}\n`));
});
