import { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';

/** Browsers drop contexts beyond about 16; other pages and views need some too. */
const MAX_CONTEXTS = 8;

const held = new Map<Terminal, WebglAddon>();
let usable: boolean | undefined;

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** WebGL drawn by the processor is slower than the DOM renderer, and takes the cores that jobs need. */
function webglIsFast(): boolean {
  if (usable !== undefined) return usable;
  const probe = document.createElement('canvas');
  const context = probe.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  const info = context?.getExtension('WEBGL_debug_renderer_info');
  const renderer = info ? String(context?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  usable = context !== null && !SOFTWARE.test(renderer);
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return usable;
}

/** Gives a visible terminal a context while there is one to give; a lost one is rebuilt once, then the DOM serves. */
export function acquireWebgl(terminal: Terminal, mayRebuild = true): void {
  if (held.has(terminal) || held.size >= MAX_CONTEXTS || !webglIsFast()) return;
  try {
    const addon = new WebglAddon();
    addon.onContextLoss(() => {
      releaseWebgl(terminal);
      if (mayRebuild && terminal.element?.isConnected) acquireWebgl(terminal, false);
    });
    terminal.loadAddon(addon);
    held.set(terminal, addon);
  } catch {
    // No context to be had after all: the DOM renderer, which is already there, goes on.
    usable = false;
  }
}

export function releaseWebgl(terminal: Terminal): void {
  const addon = held.get(terminal);
  if (!addon) return;
  held.delete(terminal);
  addon.dispose();
}
