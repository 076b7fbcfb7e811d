/** Modules of Node that take milliseconds to load and give functions only: loaded when one of these is called. */
const LATE = new Set(['node:child_process', 'node:crypto', 'node:fs/promises', 'node:timers/promises']);

/** CommonJS packages that a start loads: required, because to import them Node looks for their exports first. */
const REQUIRED = /^import ([\w$]+) from "(better-sqlite3)";$/gm;

const IMPORT = /^import (\{[^}]*\}|[\w$]+)(?:, (\{[^}]*\}))? from "(node:[\w/]+)";$/gm;

/**
 * Takes Node's own modules without the facade that an import statement makes: for that, Node reads every property of a
 * module, and some of them (fetch and WebSocket of `http`, the streams of `fs`) load much that a start does not need.
 */
export function plainBuiltins() {
  return {
    name: 'headway-plain-builtins',
    /** Takes one import a line, as the bundler writes them; lines stay where they are. */
    renderChunk(code: string) {
      const taken = code.replace(IMPORT, (_, first: string, second: string | undefined, module: string) =>
        [first, ...(second ? [second] : [])].map((names) => take(names, module)).join(' '),
      );
      const plain = taken.replace(
        REQUIRED,
        (_, name: string, module: string) =>
          `const ${name} = process.getBuiltinModule("node:module").createRequire(import.meta.url)("${module}");`,
      );
      return plain === code ? null : { code: plain, map: null };
    },
  };
}

/** `names`: `{ a, b as c }`, or one name for the whole module. */
function take(names: string, module: string): string {
  const source = `process.getBuiltinModule("${module}")`;
  if (!names.startsWith('{')) {
    return LATE.has(module)
      ? `const ${names} = new Proxy({}, { get: (_, key) => ${source}[key] });`
      : `const ${names} = ${source};`;
  }
  if (!LATE.has(module)) return `const ${names.replaceAll(' as ', ': ')} = ${source};`;
  return names
    .slice(1, -1)
    .split(',')
    .map((name) => {
      const [theirs, ours = theirs] = name.trim().split(' as ') as [string, string?];
      return `const ${ours} = (...given) => ${source}.${theirs}(...given);`;
    })
    .join(' ');
}
