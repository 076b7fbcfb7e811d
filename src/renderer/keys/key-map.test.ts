import { describe, expect, it } from 'vitest';
import { chordOf, KEYS, type KeyContext, type KeyPress, keyLabel, resolveKey } from './key-map.ts';

const press = (code: string, modifiers: Partial<KeyPress> = {}): KeyPress => ({
  key: code.replace(/^(Key|Digit)/, '').toLowerCase(),
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...modifiers,
});
const on = (focus: KeyContext['focus'], mac = false): KeyContext => ({ mac, focus });
const ctrl = { ctrlKey: true };
const ctrlShift = { ctrlKey: true, shiftKey: true };

describe('keys', () => {
  it('opens the palette with Ctrl+K, and with Cmd+K on a Mac', () => {
    expect(resolveKey(press('KeyK', ctrl), on('other'))).toEqual({ kind: 'action', id: 'palette' });
    expect(resolveKey(press('KeyK', { metaKey: true }), on('other', true))).toEqual({
      kind: 'action',
      id: 'palette',
    });
    expect(resolveKey(press('KeyK', ctrl), on('other', true))).toBeUndefined();
  });

  it('leaves a terminal every key but those with Ctrl+Shift', () => {
    for (const code of ['KeyK', 'KeyT', 'KeyW', 'KeyF', 'Digit1', 'Enter']) {
      expect(resolveKey(press(code, ctrl), on('terminal'))).toBeUndefined();
    }
    for (const code of ['KeyJ', 'KeyK', 'Escape']) {
      expect(resolveKey(press(code), on('terminal'))).toBeUndefined();
    }
    expect(resolveKey(press('Digit1', { altKey: true }), on('terminal'))).toBeUndefined();
    expect(resolveKey(press('KeyK', ctrlShift), on('terminal'))).toEqual({ kind: 'action', id: 'palette' });
    expect(resolveKey(press('Digit3', ctrlShift), on('terminal'))).toEqual({ kind: 'pane', index: 2 });
  });

  it('gives Cmd keys in a Mac terminal to the window and Ctrl keys to the program', () => {
    expect(resolveKey(press('KeyF', { metaKey: true }), on('terminal', true))).toMatchObject({
      id: 'pane.search',
    });
    expect(resolveKey(press('KeyF', ctrl), on('terminal', true))).toBeUndefined();
  });

  it('keeps Ctrl+Shift+W for warming slots, apart from Ctrl+W', () => {
    expect(resolveKey(press('KeyW', ctrlShift), on('terminal'))).toMatchObject({ id: 'slots.warm' });
    expect(resolveKey(press('KeyW', ctrl), on('other'))).toMatchObject({ id: 'pane.close' });
  });

  it('moves in lists with J and K, but types them in text', () => {
    expect(resolveKey(press('KeyJ'), on('list'))).toEqual({ kind: 'step', step: 1 });
    expect(resolveKey(press('KeyK'), on('other'))).toEqual({ kind: 'step', step: -1 });
    expect(resolveKey(press('KeyJ'), on('text'))).toBeUndefined();
  });

  it('offers Alt where a browser keeps the Ctrl key for itself', () => {
    expect(resolveKey(press('KeyT', { altKey: true }), on('other'))).toMatchObject({ id: 'terminal.new' });
  });

  it('names keys as each platform does', () => {
    expect(keyLabel(KEYS['slots.warm'], false)).toBe('Ctrl+Shift+W');
    expect(keyLabel(KEYS['slots.warm'], true)).toBe('⇧⌘W');
  });

  it('binds no chord twice', () => {
    const labels = Object.values(KEYS).map((chord) => keyLabel(chord, false));
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('shows in a browser the key that the browser lets through, and that key does the same', () => {
    for (const id of ['terminal.new', 'tickets.new', 'slots.warm', 'pane.close'] as const) {
      expect(chordOf(id, false)).toBe(KEYS[id]);
      const shown = chordOf(id, true);
      expect(shown).toMatchObject({ alt: true });
      expect(resolveKey(press(shown.code, { altKey: true }), on('other'))).toEqual({ kind: 'action', id });
    }
    expect(chordOf('palette', true)).toBe(KEYS.palette);
  });
});
