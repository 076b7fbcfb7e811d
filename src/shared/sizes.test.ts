import { expect, test } from 'vitest';
import { formatBytes, parseBytes } from './sizes.ts';

test('sizes are read in binary units, as they are shown', () => {
  expect(parseBytes('40GB')).toBe(40 * 1024 ** 3);
  expect(parseBytes(' 1.5 mb ')).toBe(1.5 * 1024 ** 2);
  for (const text of ['0B', '999 KB', '9.1 GB', '2.0 TB'])
    expect(formatBytes(parseBytes(text) ?? -1).replace('.0', '')).toBe(
      text.replace('0B', '0 B').replace('.0', ''),
    );
  for (const text of ['', '40', 'GB', '-1GB', '4 GiB', '1e3B']) expect(parseBytes(text)).toBeUndefined();
});
