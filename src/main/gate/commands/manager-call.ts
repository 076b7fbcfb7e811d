/**
 * What a call of a package manager runs: one script of package.json with the words passed to it, nothing at all, or what can't be told
 * from this package alone.
 */
type ManagerCall = { script: string; args: string[]; optional: boolean } | 'nothing' | 'unknown';

const BUILT_IN = new Set(['test', 't', 'tst', 'start', 'stop', 'restart']);

/** Pure: reads the words behind `npm`, `pnpm`, `yarn` or `bun`. */
export function managerCall(manager: string, args: readonly string[]): ManagerCall {
  const optional = args.includes('--if-present');
  const end = args.indexOf('--');
  const before = (end < 0 ? args : args.slice(0, end)).filter(
    (arg) => !/^(-s|--silent|--if-present|-q|--quiet)$/.test(arg),
  );
  const passed = end < 0 ? [] : args.slice(end + 1);
  // Another shell decides what a script means.
  if (before.some((arg) => /^--script-shell\b/.test(arg))) return 'nothing';
  if (before.some((arg) => /^(--version|-v|--help|-h)$/.test(arg))) return 'nothing';
  if (before.some((arg) => arg.startsWith('-'))) return 'unknown'; // another directory, workspaces, filters
  const [verb = '', name, ...more] = before;
  const runs = verb === 'run' || verb === 'run-script';
  const script = runs ? name : verb;
  if (runs && script === undefined) return 'nothing'; // it lists the scripts
  if (script === undefined || script === '') return 'unknown';
  if (!runs && manager === 'npm' && !BUILT_IN.has(verb)) return 'unknown'; // npm ci, npm audit …
  if (!runs && manager === 'bun') return 'unknown'; // bun test is bun's own runner
  return {
    script: script === 't' || script === 'tst' ? 'test' : script,
    args: [...(runs ? more : before.slice(1)), ...passed],
    optional,
  };
}
