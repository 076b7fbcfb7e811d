import type { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';

/** Browsers drop contexts beyond about 16; other pages and views need some too. */
const MAX_CONTEXTS = 8;

const held = new Map<Terminal, WebglAddon>();
/** Waiting for the renderer's code, which only machines with a graphics card load. */
const wanted = new Set<Terminal>();
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
export function acquireWebgl(terminal: Terminal): void {
  if (held.has(terminal) || wanted.has(terminal) || !webglIsFast()) return;
  wanted.add(terminal);
  void import('@xterm/addon-webgl').then(
    (module) => {
      if (wanted.delete(terminal)) give(terminal, module, true);
    },
    // Its code can't be read: the DOM renderer goes on.
    () => wanted.delete(terminal),
  );
}

function give(terminal: Terminal, module: typeof import('@xterm/addon-webgl'), mayRebuild: boolean): void {
  if (held.size >= MAX_CONTEXTS) return;
  try {
    const addon = new module.WebglAddon();
    addon.onContextLoss(() => {
      releaseWebgl(terminal);
      if (mayRebuild && terminal.element?.isConnected) give(terminal, module, false);
    });
    terminal.loadAddon(addon);
    held.set(terminal, addon);
  } catch {
    // No context to be had after all: the DOM renderer, which is already there, goes on.
    usable = false;
  }
}

export function releaseWebgl(terminal: Terminal): void {
  wanted.delete(terminal);
  const addon = held.get(terminal);
  if (!addon) return;
  held.delete(terminal);
  addon.dispose();
}
