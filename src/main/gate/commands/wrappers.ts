/** How a program names the command that it runs for somebody else. */
type Wrapper = {
  /** Its first word must be one of these; without it the program does something else. */
  sub?: readonly string[];
  /** Options that take the next word. */
  values?: readonly string[];
  /** Options that take none. */
  flags?: readonly string[];
  /** Words of its own before the command, such as a time. */
  own?: number;
};

const COVERAGE: Wrapper = {
  values: [
    ...['-r', '--reporter', '-x', '--exclude', '-n', '--include', '-o', '--report-dir', '--reports-dir'],
    ...['--temp-dir', '--temp-directory', '--extension', '--lines', '--functions', '--branches'],
    ...['--statements', '--src', '--cwd', '--nycrc-path', '--config', '-c'],
  ],
};
const RUN: Wrapper = { sub: ['run'] };
const EXEC: Wrapper = { sub: ['exec', 'x'] };

/** The one list of programs whose exit code is that of the command behind them. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ['env', { values: ['-u', '--unset', '-C', '--chdir'], flags: ['-i', '-', '-0'] }],
  ['cross-env', {}],
  ['cross-env-shell', {}],
  ['time', { flags: ['-p'] }],
  ['nice', { values: ['-n'] }],
  ['ionice', { values: ['-c', '-n'], flags: ['-t'] }],
  ['exec', { values: ['-a'], flags: ['-c', '-l'] }],
  ['command', { flags: ['-p'] }],
  ['nohup', {}],
  ['setsid', { flags: ['-w'] }],
  ['stdbuf', { values: ['-i', '-o', '-e'] }],
  ['xargs', { values: ['-n', '-I', '-P', '-L', '-d', '-s', '-a', '-E'], flags: ['-r', '-0', '-t', '-x'] }],
  ['timeout', { values: ['-k', '-s', '--kill-after', '--signal'], flags: ['-v'], own: 1 }],
  ['xvfb-run', { values: ['-n', '-s', '-e', '-f', '-p', '-w'], flags: ['-a', '-l'] }],
  ['dotenv', { values: ['-e', '-v', '-p', '-c'], flags: ['-o'] }],
  ['dotenvx', { sub: ['run'], values: ['-f', '-e'] }],
  ['env-cmd', { values: ['-f', '-e', '-r'] }],
  ['npx', { values: ['-p', '--package', '-w', '--workspace'], flags: ['-y', '-q'] }],
  ['pnpx', {}],
  ['bunx', { values: ['-p', '--package'] }],
  ['c8', COVERAGE],
  ['nyc', COVERAGE],
  ['corepack', {}],
  ['poetry', RUN],
  ['pipenv', RUN],
  ['pdm', RUN],
  ['uv', { sub: ['run'], values: ['-p', '--python', '--with', '--extra', '--group', '--project'] }],
  ['uvx', {}],
  ['bundle', EXEC],
  ['mise', EXEC],
  ['volta', RUN],
] satisfies [string, Wrapper][]);

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Files of a package that are called like their kind and not like the program. */
const ENTRY = /^(cli|index|main|bin|run)$/;

/** Name of a program without its directory: of a file in an installed package the program that it is, as `jest` of `node_modules/jest/bin/jest.js`. */
export function programName(word: string): string {
  const base = word.split('/').at(-1) ?? word;
  const [, scope = '', name] = /(?:^|\/)node_modules\/(?:(@[^/]+)\/)?([^/.][^/]*)\/.+$/.exec(word) ?? [];
  if (name === undefined) return base;
  const plain = base.replace(/\.[cm]?js$/, '');
  if (!ENTRY.test(plain)) return plain;
  return scope === '@playwright' ? 'playwright' : name;
}

/** Options of node that take the next word. */
const NODE_VALUES =
  /^(-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|--env-file-if-exists|--title)$/;

/**
 * Where the program of an installed package begins that `node` is given by its file, as an index into `words`: `node --no-warnings
 * node_modules/.bin/jest`. Undefined: the words start no such program.
 */
export function installedAt(words: readonly string[]): number | undefined {
  if (programName(words[0] ?? '') !== 'node') return undefined;
  let at = 1;
  for (; words[at]?.startsWith('-'); at += 1) {
    const option = words[at] ?? '';
    if (/^(-e|--eval|-p|--print|-c|--check|--test|--run)$/.test(option)) return undefined;
    if (NODE_VALUES.test(option)) at += 1;
  }
  return /(^|\/)node_modules\/(\.bin\/|.+\/)/.test(words[at] ?? '') ? at : undefined;
}

/**
 * Where the command begins that a wrapper runs, as an index into `words`, whose first one is the wrapper. `sure` is false where an
 * option is not known: it may take the next word. Undefined: the first word is no wrapper, or wraps nothing here.
 */
export function wrappedAt(words: readonly string[]): { at: number; sure: boolean } | undefined {
  const program = programName(words[0] ?? '');
  if (/^python3?(\.\d+)?$/.test(program)) {
    const module = words.indexOf('-m') + 1;
    const first = module > 0 && words.slice(1, module).every((word) => word.startsWith('-'));
    return first && module < words.length ? { at: module, sure: true } : undefined;
  }
  const wrapper = WRAPPERS.get(program);
  if (!wrapper) return undefined;
  let at = 1;
  let sure = true;
  const skip = (): void => {
    for (; at < words.length; at += 1) {
      const word = words[at] ?? '';
      if (word === '--') {
        at += 1;
        return;
      }
      if (ASSIGNMENT.test(word)) continue;
      if (!word.startsWith('-')) return;
      const [option = ''] = word.split('=', 1);
      if (wrapper.values?.includes(option)) at += option === word ? 1 : 0;
      // A long option without a value of its own is taken for a switch.
      else if (!wrapper.flags?.includes(option) && !word.startsWith('--')) sure = false;
    }
  };
  skip();
  if (wrapper.sub) {
    if (!wrapper.sub.includes(words[at] ?? '')) return undefined;
    at += 1;
    skip();
  }
  at += wrapper.own ?? 0;
  return at < words.length ? { at, sure } : undefined;
}

/** Words of the shell that a command follows. */
const BEFORE_COMMAND = new Set(['!', '{', 'if', 'then', 'else', 'elif', 'while', 'until', 'do']);

/** The command itself, behind assignments and wrappers. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words;
  for (;;) {
    let at = 0;
    while (ASSIGNMENT.test(rest[at] ?? '') || BEFORE_COMMAND.has(rest[at] ?? '')) at += 1;
    rest = rest.slice(at);
    const inner = wrappedAt(rest);
    if (!inner) return rest;
    rest = rest.slice(inner.at);
  }
}
