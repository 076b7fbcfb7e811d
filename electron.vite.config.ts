import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { plainBuiltins } from './scripts/plain-builtins.ts';

const at = (path: string): string => resolve(import.meta.dirname, path);

/** Native, or heavy and seldom needed: loaded from node_modules when used. The rest is bundled, so that a start reads few files. */
const EXTERNAL = [
  'better-sqlite3',
  '@lydell/node-pty',
  'systeminformation',
  'ws',
  'ollama',
  '@anthropic-ai/sdk',
  'typescript',
  'zod/v4',
];
const external = EXTERNAL.map((name) => new RegExp(`^${name}(/|$)`));

// Old chunks stay for a while (scripts/ensure-build.mjs): an engine that is running loads some of its own late.

/** Doors to one engine: the desktop window and the command line share their chunks. */
const doors = {
  electron: at('src/main/hosts/electron/index.ts'),
  cli: at('src/main/hosts/cli/main.ts'),
};

export default defineConfig({
  main: {
    plugins: [plainBuiltins()],
    build: {
      // The command line runs on a plain Node; Electron's is newer.
      target: 'node22',
      sourcemap: true,
      emptyOutDir: false,
      externalizeDeps: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(doors).filter(([, path]) => existsSync(path))),
        external,
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          minify: true,
          // What a start needs, in one file: to find and link thirty takes longer than to run them.
          codeSplitting: { groups: [{ name: 'start', test: /[\\/](serve-command|crashes)\.ts$/ }] },
        },
      },
    },
  },
  preload: {
    build: {
      sourcemap: true,
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('src/preload/index.ts') },
        // A sandboxed preload can't be an ES module; in a package of ES modules its name must say so.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    plugins: [react()],
    build: {
      sourcemap: true,
      emptyOutDir: false,
      minify: true,
      rolldownOptions: { input: { index: at('src/renderer/index.html') } },
    },
  },
});
