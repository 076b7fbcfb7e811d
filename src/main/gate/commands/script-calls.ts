import { type Scripts, scriptsLike } from './package-scripts.ts';

const RUNNERS =
  /(^|[\s'"`;&|()/])(npm|pnpm|yarn|bun|npx|run-s|run-p|npm-run-all2?|concurrently|turbo|nx|lerna|wireit)(?=$|[\s'"`;&|()])/;
const INSTALLS = /(^|[\s;&|(])(npm|pnpm|yarn|bun)( -\S+)* ?(ci|i|install|clean-install|$)(?=$|[\s;&|)])/;
/** What an install runs of the root package itself. */
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];

const own = (scripts: Scripts, name: string): string | undefined =>
  Object.hasOwn(scripts, name) ? scripts[name] : undefined;

/** Script names that a word of a command line may mean: `lint`, `npm:lint`, `lint:*`. */
function namesFor(word: string, scripts: Scripts): string[] {
  const name = word.replace(/^npm:/, '');
  if (name === 't' || name === 'tst') return ['test'];
  if (!name.includes('*')) return own(scripts, name) === undefined ? [] : [name];
  const pattern = new RegExp(
    `^${name
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
  return Object.keys(scripts).filter((script) => pattern.test(script));
}

/**
 * The package.json scripts that command lines call, directly or through other scripts, with those that npm runs before
 * and after them, by name. Rather one too many than one too few: a person agrees to their text.
 */
export function calledScripts(commands: readonly string[], scripts: Scripts): [name: string, text: string][] {
  const found = new Map<string, string>();
  const waiting = [...commands];
  const take = (name: string): void => {
    const text = own(scripts, name);
    if (text === undefined || found.has(name)) return;
    found.set(name, text);
    waiting.push(text);
    take(`pre${name}`);
    take(`post${name}`);
  };
  for (let command = waiting.pop(); command !== undefined; command = waiting.pop()) {
    if (!RUNNERS.test(command)) continue;
    if (INSTALLS.test(command)) LIFECYCLE.forEach(take);
    for (const [, expression = ''] of command.matchAll(/\bpnpm\b[^|&;]*?\s['"]?(\/[^\s'"]+\/)/g))
      scriptsLike(expression, scripts).forEach(take);
    for (const word of command.split(/[\s'"`;&|()]+/)) namesFor(word, scripts).forEach(take);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}
