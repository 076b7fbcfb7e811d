import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

const windowStateSchema = z.object({
  bounds: z.object({
    x: z.number().int(),
    y: z.number().int(),
    width: z.number().int().positive(),
    height: z.number().int().positive(),
  }),
  maximized: z.boolean(),
});
/** `bounds` are those of the window when it is not maximised, in device-independent pixels. */
export type WindowState = z.infer<typeof windowStateSchema>;

export const MIN_WIDTH = 720;
export const MIN_HEIGHT = 480;
const DEFAULT_WIDTH = 1440;
const DEFAULT_HEIGHT = 900;
/** So much of the title bar must be within reach of the pointer for a window to be where it was. */
const REACHABLE_WIDTH = 120;
const TITLE_BAR_HEIGHT = 32;

/**
 * Pure: where to open the window. The saved place if its title bar is within reach on one of the displays' work
 * areas, which may have changed since; else the middle of the first.
 */
export function placeWindow(saved: WindowState | undefined, workAreas: readonly Rectangle[]): WindowState {
  const first = workAreas[0] ?? { x: 0, y: 0, width: DEFAULT_WIDTH, height: DEFAULT_HEIGHT };
  const home = saved && workAreas.find((area) => isReachable(saved.bounds, area));
  if (saved && home) {
    const { x, y } = saved.bounds;
    return { bounds: { x, y, ...fitSize(saved.bounds, home) }, maximized: saved.maximized };
  }
  const wanted = saved?.bounds ?? { width: DEFAULT_WIDTH, height: DEFAULT_HEIGHT };
  const size = fitSize(wanted, first);
  const bounds = {
    x: first.x + Math.round((first.width - size.width) / 2),
    y: first.y + Math.round((first.height - size.height) / 2),
    ...size,
  };
  return { bounds, maximized: saved?.maximized ?? false };
}

function fitSize(
  wanted: { width: number; height: number },
  area: Rectangle,
): { width: number; height: number } {
  return {
    width: Math.max(Math.min(wanted.width, area.width), Math.min(MIN_WIDTH, area.width)),
    height: Math.max(Math.min(wanted.height, area.height), Math.min(MIN_HEIGHT, area.height)),
  };
}

function isReachable(bounds: Rectangle, area: Rectangle): boolean {
  const left = Math.max(bounds.x, area.x);
  const right = Math.min(bounds.x + bounds.width, area.x + area.width);
  const titleIsInside = bounds.y >= area.y && bounds.y + TITLE_BAR_HEIGHT <= area.y + area.height;
  return titleIsInside && right - left >= REACHABLE_WIDTH;
}

/** Undefined where there is none or it can't be read: a window's place is not worth an error. */
export function readWindowState(path: string): WindowState | undefined {
  try {
    const parsed = windowStateSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all. A disk that refuses costs the window its place, not the person their session. */
export function writeWindowState(path: string, state: WindowState): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify(state));
    renameSync(`${path}.new`, path);
  } catch {
    // As the comment above says.
  }
}
