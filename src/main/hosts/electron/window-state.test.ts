import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeWindow, readWindowState, type WindowState, writeWindowState } from './window-state.ts';

const laptop = { x: 0, y: 25, width: 1440, height: 875 };
const external = { x: 1440, y: 0, width: 2560, height: 1440 };
const saved = (x: number, y: number, width = 1000, height = 700): WindowState => ({
  bounds: { x, y, width, height },
  maximized: false,
});

describe('where the window opens', () => {
  test('is the middle of the first display at the first start', () => {
    const place = placeWindow(undefined, [external]);
    expect(place).toEqual({ bounds: { x: 2000, y: 270, width: 1440, height: 900 }, maximized: false });
  });

  test('is where it was, on whichever display', () => {
    expect(placeWindow(saved(2000, 100), [laptop, external])).toEqual(saved(2000, 100));
    expect(placeWindow({ ...saved(10, 30), maximized: true }, [laptop])).toEqual({
      ...saved(10, 30),
      maximized: true,
    });
  });

  test('comes back into sight where its display is gone or its title bar is out of reach', () => {
    for (const lost of [
      saved(2000, 100),
      saved(100, -200),
      saved(-950, 100),
      saved(1400, 100),
      saved(0, 890),
    ]) {
      const { bounds } = placeWindow(lost, [laptop]);
      expect(bounds).toEqual({ x: 220, y: 113, width: 1000, height: 700 });
    }
  });

  test('is never larger than the display, nor smaller than is usable', () => {
    expect(placeWindow(saved(0, 25, 5000, 4000), [laptop]).bounds).toMatchObject({
      width: 1440,
      height: 875,
    });
    expect(placeWindow(saved(0, 25, 10, 10), [laptop]).bounds).toMatchObject({ width: 720, height: 480 });
    const tiny = { x: 0, y: 0, width: 600, height: 400 };
    expect(placeWindow(undefined, [tiny]).bounds).toEqual(tiny);
  });
});

describe('the kept place', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'headway-window-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('is read back as it was written, into a directory that did not exist', () => {
    const path = join(directory, 'new', 'window.json');
    writeWindowState(path, saved(1, 2));
    expect(readWindowState(path)).toEqual(saved(1, 2));
    expect(readdirSync(join(directory, 'new'))).toEqual(['window.json']);
  });

  test.each(['', '{', '[]', '{"bounds":{"x":1,"y":2,"width":-3,"height":4},"maximized":false}'])(
    'is forgotten where the file holds %j',
    (content) => {
      const path = join(directory, 'window.json');
      writeFileSync(path, content);
      expect(readWindowState(path)).toBeUndefined();
    },
  );

  test('is not worth an error where it can not be written', () => {
    writeFileSync(join(directory, 'file'), '');
    expect(() => writeWindowState(join(directory, 'file', 'window.json'), saved(1, 2))).not.toThrow();
    expect(readWindowState(join(directory, 'file', 'window.json'))).toBeUndefined();
  });
});
