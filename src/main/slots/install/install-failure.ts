/** Where a manager stops to say what went wrong and tells how it is used. */
const USAGE =
  /^(?:npm (?:error|ERR!)\s+)?(?:Usage:?$|Options:$|Run "npm help|aliases?:|\[--|npm (?:ci|install|i)$)|^Yarn Package Manager\b|^\$ yarn\b|^You can also print more details|^Usage: (?:pnpm|bun|yarn)\b|^For help, run: pnpm help/i;
/** Lines of npm that say where and when, not why; and empty ones. */
const ASIDE =
  /^npm (?:error|ERR!)\s*(?:$|errno\b|syscall\b|path\b|dest\b|command\b|signal\b|A complete log|404\s*$|network (?:This is a problem|In most cases|'proxy')|.*\bdebug(?:-0)?\.log$)|^npm (?:warn|notice)\b|^(?:➤ )?YN0000: (?:[┌└·]|$)|^at .+:\d+:\d+\)?$/i;
const STATES =
  /^npm (?:error|ERR!)|\bERR_PNPM_\w+|^\s*(?:Usage|Internal|Type|Syntax|Unknown Syntax)? ?Error:|^error\b|^➤ YN(?!0000|0013|0019)\d{4}:|: (?:error|Error):? |\bE[A-Z]{4,}\b|failed|cannot|can't|could not|couldn't|not found/i;

const MAX_LENGTH = 500;
const FIRST = 3;

/**
 * Pure: the lines of what an install printed that say why it failed. A manager that stops for a reason prints its whole usage
 * behind it, so the end of the output says least; where no line states an error the last ones stand for it.
 */
export function causeOf(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const told = lines.filter((line) => !USAGE.test(line) && !ASIDE.test(line));
  const stating = told.filter((line) => STATES.test(line));
  const chosen =
    stating.length === 0
      ? (told.length > 0 ? told : lines).slice(-FIRST)
      : stating.length <= FIRST
        ? stating
        : [...stating.slice(0, FIRST - 1), stating.at(-1) ?? ''];
  return [...new Set(chosen)].join(' · ').slice(0, MAX_LENGTH);
}

/** Variables that a manager's settings name without a value of their own for when they are not set. */
export function namedVariables(settings: string): string[] {
  const lines = settings.split('\n').filter((line) => !/^\s*[#;]/.test(line));
  return [
    ...new Set(
      [...lines.join('\n').matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => name),
    ),
  ];
}
