import { HeadwayError } from '../../shared/errors.ts';
import { promptProblem, windowsPromptProblem } from './prompt-place.ts';

/**
 * Placeholders become references to environment variables, never text: what a shell expands from a variable it does not
 * parse again, so a ticket that holds `$(rm -rf x)` stays a ticket.
 */
export const PLACEHOLDERS = {
  prompt: 'HEADWAY_PROMPT',
  promptFile: 'HEADWAY_PROMPT_FILE',
  ticket: 'HEADWAY_TICKET',
  dir: 'HEADWAY_DIR',
} as const;
type Placeholder = keyof typeof PLACEHOLDERS;

type Quote = 'none' | 'single' | 'double';

/** How a reference is written where it stands. `deferred`: inside the script of an inner shell, which expands it itself. */
function posixReference(variable: string, quote: Quote, deferred: boolean): string {
  if (quote === 'none') return `"$${variable}"`;
  if (quote === 'double') return deferred ? `\\"\\$${variable}\\"` : `\${${variable}}`;
  return deferred ? `"$${variable}"` : `'"$${variable}"'`;
}

/**
 * A command line for `/bin/sh` with its placeholders replaced. Throws `bad-input` for a placeholder that does not
 * exist, and where something could run the prompt; braces that look like no placeholder (`{a,b}`, `{}`, `${HOME}`) stay as they are.
 */
export function posixCommandLine(template: string): string {
  let quote: Quote = 'none';
  let deferred = false;
  let result = '';
  for (let index = 0; index < template.length; ) {
    const character = template[index] ?? '';
    const placeholder = placeholderAt(template, index);
    if (placeholder) {
      result += posixReference(PLACEHOLDERS[placeholder], quote, deferred);
      index += placeholder.length + 2;
      continue;
    }
    if (character === '\\' && quote !== 'single') {
      result += template.slice(index, index + 2);
      index += 2;
      continue;
    }
    if (character === "'" && quote !== 'double') {
      if (quote === 'none') deferred = startsScript(template.slice(0, index));
      quote = quote === 'single' ? 'none' : 'single';
    } else if (character === '"' && quote !== 'single') {
      if (quote === 'none') deferred = startsScript(template.slice(0, index));
      quote = quote === 'double' ? 'none' : 'double';
    }
    result += character;
    index += 1;
  }
  if (quote !== 'none') {
    throw new HeadwayError('bad-input', `agent command: a ${quote} quote is not closed: ${template}`);
  }
  refuse(promptProblem(template));
  return result;
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new HeadwayError('bad-input', `agent command: ${problem}`);
}

/** True where the next word is a script for another shell: `sh -c`, `bash -lc`. */
const startsScript = (before: string): boolean => /(?:^|\s)-[a-z]*c\s+$/.test(before);

/**
 * The same for cmd.exe: `!NAME!` is expanded after the line was parsed, so the text never becomes syntax. An inner
 * cmd with delayed expansion is needed for it.
 */
export function windowsCommandLine(template: string): string {
  let result = '';
  for (let index = 0; index < template.length; ) {
    const placeholder = placeholderAt(template, index);
    if (placeholder) {
      const quoted = template[index - 1] === '"' && template[index + placeholder.length + 2] === '"';
      result += quoted ? `!${PLACEHOLDERS[placeholder]}!` : `"!${PLACEHOLDERS[placeholder]}!"`;
      index += placeholder.length + 2;
    } else {
      result += template[index];
      index += 1;
    }
  }
  refuse(windowsPromptProblem(template));
  return `cmd.exe /d /v:on /s /c "${result}"`;
}

function placeholderAt(template: string, index: number): Placeholder | undefined {
  if (template[index] !== '{' || template[index - 1] === '$') return undefined;
  const name = /^\{([A-Za-z]+)\}/.exec(template.slice(index, index + 40))?.[1];
  if (name === undefined) return undefined;
  if (Object.hasOwn(PLACEHOLDERS, name)) return name as Placeholder;
  const known = Object.keys(PLACEHOLDERS).map((each) => `{${each}}`);
  throw new HeadwayError(
    'bad-input',
    `agent command: {${name}} is no placeholder; there are ${known.join(', ')}`,
  );
}
