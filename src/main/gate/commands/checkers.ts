/** Programs that succeed whatever the state of the code is. */
const IDLE = new Set(
  'true : echo printf sleep export unset clear pwd date ls mkdir touch rm cd uname whoami hostname local declare typeset readonly alias'.split(
    ' ',
  ),
);
export const isIdle = (program: string): boolean => IDLE.has(program);

/** Options with which a checker checks nothing: it prints, cleans, lists, or reads what a slot does not have. */
const TALKS: Readonly<Record<string, RegExp>> = {
  tsc: /^--?(version|v|help|h|all|init|showConfig|listFilesOnly|dry|d|clean)$/i,
  eslint:
    /^(--version|-v|--help|-h|--init|--print-config|--env-info|--inspect-config|--stdin|--suppress-all|--mcp)$/,
  biome: /^(--version|-V|--help|version|rage|explain|init|--staged)$/,
  vitest: /^(--version|-v|--help|-h|list|init)$/,
  jest: /^(--version|--help|-h|--listTests|--showConfig|--clearCache|--init)$/,
  mocha: /^(--version|-V|--help|-h|--list-files|--dry-run)$/,
  playwright: /^(--version|-V|--help|-h|--list|install|show-report)$/,
  pytest: /^(--version|--help|-h|--collect-only|--co|--fixtures|--markers)$/,
};

export const onlyTalks = (program: string, args: readonly string[]): boolean => {
  if (
    program === 'eslint' &&
    args.includes('--pass-on-no-patterns') &&
    args.every((arg) => arg.startsWith('-'))
  )
    return true;
  return Object.hasOwn(TALKS, program) && args.some((arg) => TALKS[program]?.test(arg) === true);
};

/** Programs whose exit code is the point of calling them. */
const CHECKERS = new Set(
  'tsc vue-tsc tsgo svelte-check eslint biome oxlint xo standard stylelint vitest jest mocha ava tap uvu jasmine playwright cypress pytest unittest mypy pyright ruff golangci-lint'.split(
    ' ',
  ),
);
/** The checker that a command is, by the name under which all its calls count as one (a retry is no hiding). */
export function checkerOf(program: string, args: readonly string[]): string | undefined {
  if (CHECKERS.has(program)) return program;
  if (/^(node|tsx)$/.test(program) && args.includes('--test')) return 'node --test';
  if (program === 'bun' && args[0] === 'test') return 'bun test';
  if (
    /^(go|cargo|deno|ng|next)$/.test(program) &&
    /^(test|vet|clippy|check|nextest|lint|build)$/.test(args[0] ?? '')
  ) {
    return `${program} ${args[0]}`;
  }
  return undefined;
}
