import { type Command, CommanderError } from 'commander';
import { HeadwayError } from '../../../shared/errors.ts';
import { nearestNames } from '../../../shared/nearest-names.ts';
import { EXIT } from './exit-codes.ts';
import { type Output, reportError } from './output.ts';

/** Pure: was `--json` asked for? Wherever it stands, so that also a wrong command line is answered in JSON. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}

const subcommands = (command: Command): string[] => command.commands.map((one) => one.name());

/** For a command that does something alone and has subcommands too: a word behind it is a subcommand with a typo. */
export function refuseUnknownWord(command: Command): void {
  const [word] = command.args;
  if (word !== undefined) unknownCommand(command, word, `${command.name()} ${word}`);
}

/** Commander prints all of its help for `headway help WROD`, and not what is wrong. */
export function refuseHelpForUnknown(program: Command, argv: readonly string[]): void {
  const [help, word] = argv;
  if (help !== 'help' || word === undefined || word.startsWith('-')) return;
  if (word !== 'help' && !subcommands(program).includes(word)) unknownCommand(program, word, word);
}

/** An unset variable of a script leaves an empty text, and that is never what was meant: not the working directory, not the policy. */
export function refuseEmptyOption(command: Command): void {
  for (const [name, value] of Object.entries(command.opts<Record<string, unknown>>())) {
    const texts = Array.isArray(value) ? value : [value];
    if (texts.some((text) => typeof text === 'string' && text.trim() === '')) {
      command.error(`error: option '--${name}' is empty; give it a value or leave it out`);
    }
  }
}

function unknownCommand(command: Command, word: string, shown: string): never {
  const near = nearestNames(word, subcommands(command), 1);
  command.error(
    `error: unknown command '${shown}'\n${near.length > 0 ? `(Did you mean ${near[0]}?)` : `(There are ${subcommands(command).join(', ')}.)`}`,
  );
}

/** What commander refused: said by itself to a person, and as an error of ours with `--json`. Returns the exit code. */
export function reportUsage(
  thrown: unknown,
  program: Command,
  argv: readonly string[],
  output: Output,
): number {
  if (!(thrown instanceof CommanderError)) throw thrown;
  if (thrown.exitCode === 0) return EXIT.ok;
  if (!output.json) return EXIT.usage;
  const word = argv.find((one) => !one.startsWith('-'));
  const command = program.commands.find((one) => one.name() === word) ?? program;
  const message =
    thrown.code === 'commander.help'
      ? `Say which command: ${subcommands(command).join(', ')}; \`headway help COMMAND\` for more.`
      : thrown.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return reportError(new HeadwayError('bad-input', message), output);
}
