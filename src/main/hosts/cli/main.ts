import { Command, InvalidArgumentError } from 'commander';
import { VERSION } from '../../engine-options.ts';
import { endOnCrash } from '../crashes.ts';
import { EXIT } from './exit-codes.ts';
import { createOutput, type Output, reportError } from './output.ts';
import {
  refuseEmptyOption,
  refuseHelpForUnknown,
  refuseUnknownWord,
  reportUsage,
  wantsJson,
} from './usage.ts';

function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`It takes a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

const collect = (text: string, before: string[] = []): string[] => [...before, text];

const HELP_END = `
Every command takes --json: one JSON value a line. State lies in HEADWAY_HOME, or where the platform keeps such data.

To begin:
  headway sample /tmp/sample
  headway run --repo /tmp/sample/repository --tickets /tmp/sample/tickets`;

/** Runs the command line. Commands are loaded when they are called, so that none waits for another's modules. */
async function main(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok;
  const output = createOutput(wantsJson(argv));
  const stopping = new AbortController();
  const program = new Command('headway')
    .description(
      'Runs many coding agents at once on one machine and one repository, as close together as is safe.',
    )
    .version(VERSION)
    // Also before the command: `headway --json jobs`.
    .option('--json', 'print one JSON value a line')
    .exitOverride()
    .configureOutput(output.json ? { writeErr: () => undefined } : {})
    // `headway jobs cancel T1 --json`: an option behind a subcommand is the subcommand's.
    .enablePositionalOptions()
    .showHelpAfterError('Say `headway help` for the commands, `headway help COMMAND` for its options.')
    .addHelpText('after', HELP_END)
    .hook('preAction', (_program, command) => refuseEmptyOption(command));

  const act = (body: (output: Output, signal: AbortSignal) => Promise<number>): Promise<void> =>
    withSignals(stopping, async () => {
      try {
        exit = await body(output, stopping.signal);
      } catch (thrown) {
        exit = reportError(thrown, output);
      }
    });

  const command = (name: string, description: string, parent: Command = program): Command =>
    parent
      .command(name)
      .description(description)
      .option('--json', 'print one JSON value a line')
      .enablePositionalOptions()
      .exitOverride();

  /** Does something alone, and has subcommands. */
  const parent = (name: string, description: string): Command =>
    command(name, description).allowExcessArguments();

  const commands: Record<string, () => void> = {
    run() {
      command('run', 'take tickets, run them, drain, report')
        .requiredOption('--repo <dir>', 'the repository')
        .requiredOption('--tickets <file|dir>', 'a Markdown file or a folder of them')
        .option(
          '--agent <id>',
          'agent for tickets that name none: claude-code, claude, "ollama: MODEL", scripted, or "command: LINE"',
        )
        .option('--max <n>', 'jobs at once; default: the settings (4)', wholeNumber(1, 64))
        .option('--gate <command>', 'gate step in place of the policy; may be repeated', collect)
        .option('--base <branch>', 'branch that work starts from and lands on')
        .option('--trust', "agree to the repository's setup and gate commands as they are now")
        .addHelpText(
          'after',
          '\nExit code: 0 all merged, 1 some not, 2 bad input and nothing started, 130 stopped by Ctrl-C.',
        )
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./run-command.ts')).runCommand(options, output, signal),
          );
        });
    },
    serve() {
      command('serve', 'the window in a browser, until Ctrl-C')
        .option('--host <address>', 'address to listen on', '127.0.0.1')
        .option('--port <n>', 'port; 0 takes a free one', wholeNumber(0, 65_535), 4870)
        .option('--open', 'open a browser')
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./serve-command.ts')).serveCommand(options, output, signal),
          );
        });
    },
    sample() {
      command('sample', 'write the sample repository and its tickets')
        .argument('<dir>', 'an empty or new directory')
        .action(async (dir: string) => {
          await act(async (output) => (await import('./sample-command.ts')).sampleCommand(dir, output));
        });
    },
    jobs() {
      const jobs = parent('jobs', 'list jobs').action(async (_options, command) => {
        refuseUnknownWord(command);
        await act(async (output) => (await import('./look-commands.ts')).jobsCommand(output));
      });
      for (const action of ['cancel', 'reopen', 'hold', 'release'] as const) {
        command(action, `${action} a job`, jobs)
          .argument('<job>', 'job or ticket id')
          .action(async (name: string) => {
            await act(async (output) =>
              (await import('./look-commands.ts')).actCommand(action, name, output),
            );
          });
      }
    },
    why() {
      command('why', 'why a job is where it is, and what would free it')
        .argument('<job>', 'job or ticket id')
        .action(async (name: string) => {
          await act(async (output) => (await import('./look-commands.ts')).whyCommand(name, output));
        });
    },
    kept() {
      const kept = parent('kept', 'what attempts and sessions made, and that is not on the base')
        .option('--repo <dir>', 'only this repository')
        .option('--all', 'also what has landed')
        .action(async (options, command) => {
          refuseUnknownWord(command);
          await act(async (output) => (await import('./kept-command.ts')).keptCommand(options, output));
        });
      command('recover', 'put it as a new branch into your repository', kept)
        .argument('<ref>', 'a ref, job or ticket id')
        .requiredOption('--branch <name>', 'name of the new branch')
        .action(async (name: string, options) => {
          await act(async (output) =>
            (await import('./kept-command.ts')).recoverCommand(name, options, output),
          );
        });
      command('drop', 'let it go', kept)
        .argument('<ref>', 'a ref')
        .action(async (ref: string) => {
          await act(async (output) => (await import('./kept-command.ts')).dropCommand(ref, output));
        });
    },
    'audit-log'() {
      command('audit-log', 'who did what to which repository')
        .option('--repo <dir>', 'only this repository')
        .option('--since <date>', 'only from then on, such as 2026-01-31')
        .option('--verify', 'check that no entry was changed or taken out')
        .action(async (options) => {
          await act(async (output) =>
            (await import('./audit-log-command.ts')).auditLogCommand(options, output),
          );
        });
    },
    effects() {
      command('effects', 'merges, branches, pull requests and comments not known to have ended')
        .option('--settle', 'ask outside what became of those whose jobs do not run')
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./effects-command.ts')).effectsCommand(options, output, signal),
          );
        });
    },
    slots() {
      const slots = parent('slots', 'list slots').action(async (_options, command) => {
        refuseUnknownWord(command);
        await act(async (output) => (await import('./look-commands.ts')).slotsCommand(output));
      });
      command('warm', 'make slots ready before they are needed', slots)
        .requiredOption('--repo <dir>', 'the repository')
        .requiredOption('--count <n>', 'how many are to be ready', wholeNumber(1, 64))
        .option('--base <branch>', 'branch to stand on')
        .option('--trust', "agree to the repository's setup commands as they are now")
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./look-commands.ts')).warmCommand(options, output, signal),
          );
        });
      command('doctor', 'examine the place where slots lie: what it costs, and what would mend it', slots)
        .option('--repo <dir>', 'a repository to look at as well')
        .option('--fix <id>', 'start the fix of one finding')
        .action(async (options) => {
          await act(async (output) => (await import('./doctor-command.ts')).doctorCommand(options, output));
        });
      for (const action of ['rebuild', 'remove'] as const) {
        command(action, `${action} a slot`, slots)
          .argument('<slot>', 'slot id')
          .action(async (slotId: string) => {
            await act(async (output) =>
              (await import('./look-commands.ts')).slotCommand(action, slotId, output),
            );
          });
      }
    },
    settings() {
      const settings = parent('settings', 'the limits and choices of this data directory').action(
        async (_options, command) => {
          refuseUnknownWord(command);
          await act(async (output) => (await import('./settings-command.ts')).settingsCommand(output));
        },
      );
      command('get', 'print one', settings)
        .argument('<name>', 'as listed by `headway settings`')
        .action(async (name: string) => {
          await act(async (output) =>
            (await import('./settings-command.ts')).getSettingCommand(name, output),
          );
        });
      command('set', 'change one', settings)
        .argument('<name>', 'as listed by `headway settings`')
        .argument('<value>', 'a number, a text, true or false; also 30m for a time, 40GB for a size')
        .action(async (name: string, value: string) => {
          await act(async (output) =>
            (await import('./settings-command.ts')).setSettingCommand(name, value, output),
          );
        });
    },
    gate() {
      const gate = command('gate', 'what decides about a repository, and whether it can fail');
      command('run', 'run the gate on a commit in a slot', gate)
        .option('--repo <dir>', 'the repository', '.')
        .option('--ref <ref>', 'commit, branch or tag; default: what is checked out')
        .option('--gate <command>', 'gate step in place of the policy; may be repeated', collect)
        .option('--base <branch>', 'branch whose policy decides')
        .option('--trust', "agree to the repository's setup and gate commands as they are now")
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./gate-commands.ts')).gateRunCommand(options, output, signal),
          );
        });
      command('audit', 'what the gate leaves out, and why that matters', gate)
        .option('--repo <dir>', 'the repository; default: where you are')
        .option('--all', 'every registered repository')
        .option('--base <branch>', 'branch to look at')
        .option('--fix', 'add what is missing to your own policy of the repository')
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./gate-audit-command.ts')).gateAuditCommand(options, output, signal),
          );
        });
      command('prove', 'break the code on purpose and see what the gate catches', gate)
        .option('--repo <dir>', 'the repository', '.')
        .option('--area <glob>', 'only these areas or files')
        .option('--base <branch>', 'branch to prove')
        .option('--trust', "agree to the repository's setup and gate commands as they are now")
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./gate-prove-command.ts')).gateProveCommand(options, output, signal),
          );
        });
    },
  };
  // To describe a command takes time: where one is named, the others need not be.
  const named = argv[0] ?? '';
  if (Object.hasOwn(commands, named)) commands[named]?.();
  else for (const add of Object.values(commands)) add();

  try {
    refuseHelpForUnknown(program, argv);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    return reportUsage(thrown, program, argv, output);
  }
  return exit;
}

/** The first signal asks to stop in good order, the second one ends the process. */
async function withSignals(stopping: AbortController, body: () => Promise<void>): Promise<void> {
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    stopping.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    await body();
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

endOnCrash((text) => process.stderr.write(`headway: ${text}\n`));
process.exitCode = await main(process.argv.slice(2));
