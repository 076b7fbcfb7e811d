import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Settles with a file's text as soon as it has some; the file's directory must be there. */
export function written(file: string): Promise<string> {
  return new Promise((resolve) => {
    const look = (): void => {
      const text = textOf(file);
      if (text === '') return;
      watcher.close();
      resolve(text);
    };
    const watcher = watch(dirname(file), (_kind, name) => {
      if (name === basename(file)) look();
    });
    look();
  });
}
