import type { Command as ShellCommand } from 'unbash';
import { MANAGERS, type Manager, type Scripts } from './package-scripts.ts';
import { andChain, commandWords, parseShell } from './shell-words.ts';

/** What changes the shell for the commands behind it: they are not what they would be in a script of their own. */
const CHANGES_SHELL = new Set([
  ...['cd', 'pushd', 'popd', 'export', 'set', 'unset', 'alias', 'unalias', 'readonly', 'declare', 'typeset'],
  ...['local', 'eval', 'exec', 'exit', 'return', 'source', '.', 'trap', 'ulimit', 'umask', 'shift', 'hash'],
]);
const HARMLESS_FLAGS = new Set(['-s', '--silent', '--if-present']);
/** Names that no manager takes for a command of its own, `bun` apart. */
const PLAIN_NAMES = new Set(['lint', 'typecheck', 'type-check', 'check-types', 'tsc', 'test', 'build']);

type Command = {
  words: string[];
  /** As written, quotes too: `a/**` and `'a/**'` are not one command. */
  key: string;
};
type Chain = {
  /** As far as they are known. */
  commands: Command[];
  /** False where more stands behind them. */
  isWhole: boolean;
};

/**
 * The commands of a line where each runs only after the one before ended well, and the line ends well only if all did: a
 * chain of `&&`. Undefined for any other line. Where a word is known only to the shell, or a command changes it, the
 * chain ends for this reader.
 */
export function chainOf(line: string): Chain | undefined {
  const script = parseShell(line);
  const chain = script && andChain(script);
  if (!chain) return undefined;
  const parts = chain.map((command) => ({ command, words: commandWords(command) }));
  const end = parts.findIndex(
    ({ words }) => CHANGES_SHELL.has(words[0]?.text ?? '') || words.some((word) => word.dynamic),
  );
  const known = end < 0 ? parts : parts.slice(0, end);
  return {
    commands: known.map(({ command, words }) => ({
      words: words.map((word) => word.text),
      key: JSON.stringify(asWritten(command)),
    })),
    isWhole: end < 0,
  };
}

/** Each word with its quotes. */
const asWritten = ({ prefix, name, args }: ShellCommand): string[] => [
  ...prefix.map((each) => ('text' in each ? each.text : each.operator)),
  ...(name ? [name.text] : []),
  ...args.map((each) => each.text),
];

const hasHooks = (name: string, scripts: Scripts): boolean =>
  Object.hasOwn(scripts, `pre${name}`) || Object.hasOwn(scripts, `post${name}`);

/** The scripts that a command runs by their names, whatever happens: `npm run lint`, `run-s lint test`. */
function namedBy({ words }: Command, scripts: Scripts, own: Manager): string[] {
  const [program = '', ...rest] = words;
  if (program === 'run-s' || program === 'npm-run-all')
    return rest.every((word) => Object.hasOwn(scripts, word)) ? rest : [];
  if (!MANAGERS.some((manager) => manager === program)) return [];
  const isRun = rest[0] === 'run' || (program === 'npm' && rest[0] === 'run-script');
  const [name = '', ...flags] = isRun ? rest.slice(1) : rest;
  if (!Object.hasOwn(scripts, name) || !flags.every((flag) => HARMLESS_FLAGS.has(flag))) return [];
  // Another manager may leave out what stands before and after it.
  if (program !== own && hasHooks(name, scripts)) return [];
  if (isRun) return [name];
  if (program === 'npm') return name === 'test' ? [name] : [];
  return program !== 'bun' && PLAIN_NAMES.has(name) ? [name] : [];
}

/** Scripts that are this one command and have nothing before or after it. */
function sameAs(command: Command, scripts: Scripts): string[] {
  return Object.keys(scripts).filter((name) => {
    if (hasHooks(name, scripts)) return false;
    const chain = chainOf(scripts[name] ?? '');
    return chain?.isWhole === true && chain.commands.length === 1 && chain.commands[0]?.key === command.key;
  });
}

/**
 * The scripts that are surely run, and surely green, when a script ends well: those that a chain of it names, and those
 * that are one of its commands word for word. Rather one too few than one too many: on this a check is left out. What
 * npm runs before and after a script does not count, since a user's own settings may switch that off.
 */
export function sureRuns(script: string, scripts: Scripts, manager: Manager): Set<string> {
  const found = new Set<string>();
  const open = [script];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const command of chainOf(scripts[name] ?? '')?.commands ?? []) {
      for (const other of [...namedBy(command, scripts, manager), ...sameAs(command, scripts)]) {
        if (other === script || found.has(other)) continue;
        found.add(other);
        open.push(other);
      }
    }
  }
  return found;
}
