import { Command, InvalidArgumentError } from 'commander';
import { VERSION } from '../../settings/defaults.ts';
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

const JOB_ACTIONS = {
  cancel: 'Stop a job and give it up',
  reopen: 'Try a held, failed or cancelled job again',
  hold: 'Keep a job from starting until it is released',
  release: 'Let a held job go on',
} as const;
const SLOT_ACTIONS = { rebuild: 'Make a slot anew', remove: 'Remove a slot' } as const;

const HELP_END = `
Every command accepts --json for JSON Lines. Data is stored in HEADWAY_HOME, or in the platform's usual place.

Get started:
  headway sample /tmp/sample
  headway run --repo /tmp/sample/repository --tickets /tmp/sample/tickets`;

/** Commands that were renamed; the old names go with the next version. */
const OLD_NAMES: Readonly<Record<string, string>> = { kept: 'saved', effects: 'outbox' };

function withNewNames(given: readonly string[], json: boolean): string[] {
  const at = given.findIndex((word) => !word.startsWith('-'));
  const old = given[at] ?? '';
  const name = Object.hasOwn(OLD_NAMES, old) ? OLD_NAMES[old] : undefined;
  if (name === undefined) return [...given];
  if (!json) {
    process.stderr.write(
      `headway: \`headway ${old}\` is \`headway ${name}\` now; the old name goes with the next version.\n`,
    );
  }
  return given.with(at, name);
}

/** Runs the command line. Commands are loaded when they are called, so that none waits for another's modules. */
async function main(given: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok;
  const output = createOutput(wantsJson(given));
  const argv = withNewNames(given, output.json);
  const stopping = new AbortController();
  const program = new Command('headway')
    .description(
      'Runs many coding agents at once on one machine and repository, as close together as is safe.',
    )
    .version(VERSION)
    // Also before the command: `headway --json jobs`.
    .option('--json', 'output JSON Lines')
    .exitOverride()
    .configureOutput(output.json ? { writeErr: () => undefined } : {})
    // `headway jobs cancel T1 --json`: an option behind a subcommand is the subcommand's.
    .enablePositionalOptions()
    .showHelpAfterError(
      'Run `headway help` for the commands, or `headway help COMMAND` for the options of one.',
    )
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
      .option('--json', 'output JSON Lines')
      .enablePositionalOptions()
      .exitOverride();

  /** Does something alone, and has subcommands. */
  const parent = (name: string, description: string): Command =>
    command(name, description).allowExcessArguments();

  const commands: Record<string, () => void> = {
    run() {
      command('run', 'Submit tickets and run them to completion')
        .requiredOption('--repo <dir>', 'the repository')
        .requiredOption('--tickets <file|dir>', 'a Markdown file, or a folder of them')
        .option(
          '--agent <id>',
          'agent for tickets that name none: claude-code, claude, "ollama: MODEL", scripted or "command: LINE"',
        )
        .option('--max <n>', 'how many jobs run at once (default: setting maxJobs, 4)', wholeNumber(1, 64))
        .option('--gate <command>', 'gate step to use instead of the policy (repeatable)', collect)
        .option('--base <branch>', 'branch to start from and merge into')
        .option('--trust', "agree to the repository's current setup and gate commands")
        .option('--no-wait', 'exit even if a held job could continue on its own')
        .addHelpText(
          'after',
          '\nExit codes: 0 all merged, 1 some not merged, 2 bad input (nothing started), 130 stopped by Ctrl-C.',
        )
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./run-command.ts')).runCommand(options, output, signal),
          );
        });
    },
    serve() {
      command('serve', 'Serve the window in a browser (stop with Ctrl-C)')
        .option('--host <address>', 'address to listen on', '127.0.0.1')
        .option('--port <n>', 'port (0 picks a free one)', wholeNumber(0, 65_535), 4870)
        .option('--open', 'open it in your browser')
        .option('--new-token', 'revoke the tokens of earlier starts: their pages have no access any more')
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./serve-command.ts')).serveCommand(options, output, signal),
          );
        });
    },
    sample() {
      command('sample', 'Create a sample repository with tickets')
        .argument('<dir>', 'a new or empty directory')
        .action(async (dir: string) => {
          await act(async (output) => (await import('./sample-command.ts')).sampleCommand(dir, output));
        });
    },
    jobs() {
      const jobs = parent('jobs', 'List jobs').action(async (_options, command) => {
        refuseUnknownWord(command);
        await act(async (output) => (await import('./look-commands.ts')).jobsCommand(output));
      });
      for (const action of ['cancel', 'reopen', 'hold', 'release'] as const) {
        const one = command(action, JOB_ACTIONS[action], jobs).argument('<job>', 'job or ticket id');
        if (action === 'release')
          one.option('--approve-gate-change <hash>', 'approve the change of its own gate that you have seen');
        one.action(async (name: string, options) => {
          await act(async (output) =>
            (await import('./look-commands.ts')).actCommand(action, name, options, output),
          );
        });
      }
    },
    why() {
      command('why', 'Explain what a job is waiting for')
        .argument('<job>', 'job or ticket id')
        .action(async (name: string) => {
          await act(async (output) => (await import('./look-commands.ts')).whyCommand(name, output));
        });
    },
    saved() {
      const saved = parent('saved', 'List unmerged work saved from attempts and sessions')
        .option('--repo <dir>', 'only this repository')
        .option('--all', 'include work that is already merged')
        .action(async (options, command) => {
          refuseUnknownWord(command);
          await act(async (output) => (await import('./saved-command.ts')).savedCommand(options, output));
        });
      command('recover', 'Create a branch from saved work', saved)
        .argument('<ref>', 'a ref, or the id of a job or ticket')
        .requiredOption('--branch <name>', 'name of the new branch')
        .action(async (name: string, options) => {
          await act(async (output) =>
            (await import('./saved-command.ts')).recoverCommand(name, options, output),
          );
        });
      command('drop', 'Delete saved work', saved)
        .argument('<ref>', 'a ref')
        .action(async (ref: string) => {
          await act(async (output) => (await import('./saved-command.ts')).dropCommand(ref, output));
        });
    },
    'audit-log'() {
      command('audit-log', 'Show who did what to which repository')
        .option('--repo <dir>', 'only this repository')
        .option('--since <date>', 'only entries since this date, such as 2026-01-31')
        .option('--verify', 'check that no entry was changed or removed')
        .action(async (options) => {
          await act(async (output) =>
            (await import('./audit-log-command.ts')).auditLogCommand(options, output),
          );
        });
    },
    outbox() {
      command('outbox', 'List merges, branches, pull requests and comments whose outcome is unknown')
        .option('--settle', 'check the remote and settle those of jobs that are not running')
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./outbox-command.ts')).outboxCommand(options, output, signal),
          );
        });
    },
    accounts() {
      const accounts = parent('accounts', 'List agent accounts paused by a usage limit').action(
        async (_options, command) => {
          refuseUnknownWord(command);
          await act(async (output) => (await import('./accounts-command.ts')).accountsCommand(output));
        },
      );
      command('resume', 'Start jobs of an account again before its limit resets', accounts)
        .argument('<account>', 'id of the account')
        .action(async (id: string) => {
          await act(async (output) => (await import('./accounts-command.ts')).resumeCommand(id, output));
        });
    },
    slots() {
      const slots = parent('slots', 'List slots').action(async (_options, command) => {
        refuseUnknownWord(command);
        await act(async (output) => (await import('./look-commands.ts')).slotsCommand(output));
      });
      command('warm', 'Prepare slots before they are needed', slots)
        .requiredOption('--repo <dir>', 'the repository')
        .requiredOption('--count <n>', 'number of slots to prepare', wholeNumber(1, 64))
        .option('--base <branch>', 'branch to check out')
        .option('--trust', "agree to the repository's current setup commands")
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./look-commands.ts')).warmCommand(options, output, signal),
          );
        });
      command('doctor', 'Diagnose the disk that holds the slots', slots)
        .option('--repo <dir>', 'also check this repository')
        .option('--fix <id>', 'start the fix for one finding')
        .action(async (options) => {
          await act(async (output) => (await import('./doctor-command.ts')).doctorCommand(options, output));
        });
      for (const action of ['rebuild', 'remove'] as const) {
        command(action, SLOT_ACTIONS[action], slots)
          .argument('<slot>', 'slot id')
          .action(async (slotId: string) => {
            await act(async (output) =>
              (await import('./look-commands.ts')).slotCommand(action, slotId, output),
            );
          });
      }
    },
    settings() {
      const settings = parent('settings', 'List settings').action(async (_options, command) => {
        refuseUnknownWord(command);
        await act(async (output) => (await import('./settings-command.ts')).settingsCommand(output));
      });
      command('get', 'Print one setting', settings)
        .argument('<name>', 'a name from `headway settings`')
        .action(async (name: string) => {
          await act(async (output) =>
            (await import('./settings-command.ts')).getSettingCommand(name, output),
          );
        });
      command('set', 'Change one setting', settings)
        .argument('<name>', 'a name from `headway settings`')
        .argument('<value>', 'a number, text, true or false; times such as 30m, sizes such as 40GB')
        .action(async (name: string, value: string) => {
          await act(async (output) =>
            (await import('./settings-command.ts')).setSettingCommand(name, value, output),
          );
        });
    },
    gate() {
      const gate = command('gate', "Run and check a repository's merge gate");
      command('run', 'Run the gate on one commit in a slot', gate)
        .option('--repo <dir>', 'the repository', '.')
        .option('--ref <ref>', 'commit, branch or tag (default: what is checked out)')
        .option('--gate <command>', 'gate step to use instead of the policy (repeatable)', collect)
        .option('--base <branch>', 'branch whose policy applies')
        .option('--trust', "agree to the repository's current setup and gate commands")
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./gate-commands.ts')).gateRunCommand(options, output, signal),
          );
        });
      command('audit', 'Show what the gate leaves out, and why it matters', gate)
        .option('--repo <dir>', 'the repository (default: the current directory)')
        .option('--all', 'every registered repository')
        .option('--base <branch>', 'branch to audit')
        .option('--fix', 'add what is missing to your own policy for the repository')
        .action(async (options) => {
          await act(async (output, signal) =>
            (await import('./gate-audit-command.ts')).gateAuditCommand(options, output, signal),
          );
        });
      command('prove', 'Break code on purpose to see what the gate catches', gate)
        .option('--repo <dir>', 'the repository', '.')
        .option('--area <glob>', 'only these areas or files')
        .option('--base <branch>', 'branch to prove')
        .option('--trust', "agree to the repository's current setup and gate commands")
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

/** `timeout`, and whatever else ends a process and its group, sends the same signal twice or more: that is one wish. */
const ONE_WISH_MS = 1_000;

/** The first signal asks to stop in good order; a second one, by somebody who does not want to wait, ends the process. */
async function withSignals(stopping: AbortController, body: () => Promise<void>): Promise<void> {
  let firstAtMs = 0;
  const stop = (): void => {
    if (!stopping.signal.aborted) {
      firstAtMs = performance.now();
      stopping.abort();
    } else if (performance.now() - firstAtMs > ONE_WISH_MS) process.exit(EXIT.interrupted);
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
