import { checkerOf, isIdle, onlyTalks } from './checkers.ts';
import { makeRecipe, makesWithBash, type ReadFile } from './make-target.ts';
import { managerCall } from './manager-call.ts';
import {
  andThen,
  FAILS,
  hides,
  MAY_FAIL,
  NOWHERE,
  type Outcomes,
  outcomesOf,
  ownShell,
  type Reading,
  SUCCEEDS,
  SUPPOSED_FAILURE,
} from './outcomes.ts';
import { isManager, type Scripts } from './package-scripts.ts';
import type { ShellWord } from './shell-words.ts';
import { installedAt, programName, wrappedAt } from './wrappers.ts';

const MAX_DEPTH = 12;

type Known = {
  scripts: Scripts;
  readFile: ReadFile;
  /** What if every call of this checker failed? */
  suppose?: string;
  /** The checkers that were met. */
  met?: Set<string>;
};
type Words = readonly ShellWord[];

/**
 * Why a command proves nothing whatever the code is like: there is no branch in which it fails. Undefined: it may
 * fail, or it can't be told (then it is not called hollow).
 */
export function hollowReason(
  command: string,
  scripts: Scripts,
  readFile: ReadFile = () => undefined,
): string | undefined {
  if (command.trim() === '') return 'the command is empty';
  const met = new Set<string>();
  const known: Known = { scripts, readFile, met };
  const under = (what: Known): Outcomes | undefined => outcomesOf(command, followed(what, 0));
  const outcomes = under(known);
  if (!outcomes) return undefined;
  if (outcomes.ok && !outcomes.fail) return explain(command, scripts);
  for (const checker of met) {
    // A way round the checker is a condition, not a failure that is hidden.
    const failing = under({ scripts, readFile, suppose: checker });
    if (failing && hides(failing)) return `"${shorten(command)}": it can succeed although ${checker} failed`;
  }
  return undefined;
}

/**
 * What is read by another program is judged there, and in a later round of a loop a checker may end otherwise: then nothing is supposed of
 * its exit code.
 */
const followed = (known: Known, depth: number): Reading => ({
  supposes: known.suppose !== undefined,
  simple: (words, { read, again, keeps, input }) => {
    const { scripts, readFile } = known;
    const asked = known.suppose === undefined ? undefined : askedOutcomes(words, keeps);
    return asked ?? simpleOutcomes(words, read || again ? { scripts, readFile } : known, depth, input);
  },
});

/** Where a check is supposed to fail: a test of what kept its exit code or counts failures. Undefined: it asks for something else. */
function askedOutcomes(words: Words, keeps: (name: string) => boolean): Outcomes | undefined {
  const [program, ...args] = words;
  if (!program || !/^(test|\[)$/.test(programName(program.text))) return undefined;
  if (!args.some(({ text, dynamic }) => dynamic && keeps(text.slice(1)))) return undefined;
  const asked = args.map(({ text }) => text).filter((text) => text !== ']');
  const line = asked.join(' ');
  if (/^-z | (-eq|-le|=|==) 0$| (=|==) $/.test(line)) return FAILS;
  if (/^-n | (-ne|-gt|!=) 0$| (!=) $/.test(line) || asked.length === 1) return SUCCEEDS;
  return NOWHERE;
}

const shorten = (line: string): string => (line.length > 80 ? `${line.slice(0, 79)}…` : line);

function explain(command: string, scripts: Scripts): string {
  const called = /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?([\w:.-]+)$/.exec(command.trim())?.[1];
  const text = called !== undefined && Object.hasOwn(scripts, called) ? scripts[called] : undefined;
  const shown = text ?? command;
  const line = shorten(shown);
  const why = /\|\s*tee\b/.test(shown)
    ? 'the pipe hides the exit code'
    : /(^|[\s;&])lint-staged\b/.test(shown)
      ? 'nothing is staged in a slot'
      : /(^|[\s;&])prettier\b/.test(shown)
        ? 'it writes or prints what it would change, and does not hold anything against it (--check)'
        : /&>/.test(shown)
          ? 'for sh `&>` is the background: write `> FILE 2>&1`'
          : /&\s*$/.test(shown)
            ? 'it runs in the background and nobody asks how it ends'
            : 'it can not fail';
  return `"${line}": ${why}`;
}

function simpleOutcomes(words: Words, known: Known, depth: number, input?: string): Outcomes {
  let at = 0;
  while (at < words.length && /^[A-Za-z_]\w*\+?=/.test(words[at]?.text ?? '')) at += 1;
  const first = words[at];
  if (!first) return SUCCEEDS; // assignments only
  if (first.dynamic || depth > MAX_DEPTH) return MAY_FAIL;
  const program = programName(first.text);
  const rest = words.slice(at + 1);
  const args = rest.map(({ text }) => text);
  if (isIdle(program)) return SUCCEEDS;
  // It prints what the command line itself holds.
  if (program === 'cat' && input !== undefined && args.length === 0) return SUCCEEDS;
  if (program === 'false') return FAILS;
  if (program === 'exit' || program === 'return') return exitOutcomes(rest, known);
  const inner = wrappedAt(words.slice(at).map(({ text }) => text));
  if (inner) {
    // An option that takes a value would be mistaken for the program.
    if (!inner.sure) return MAY_FAIL;
    return ownShell(simpleOutcomes(words.slice(at + inner.at), known, depth + 1, input));
  }
  const installed = installedAt(words.slice(at).map(({ text }) => text));
  if (installed !== undefined) return simpleOutcomes(words.slice(at + installed), known, depth + 1, input);
  if (/^(ba|da|z|k)?sh$/.test(program) && /^-[a-z]*c$/.test(args[0] ?? '') && rest[1] && !rest[1].dynamic) {
    const inner = outcomesOf(rest[1].text, followed(known, depth + 1), isBash(program));
    return inner ?? MAY_FAIL;
  }
  // A script on its standard input.
  if (/^(ba|da|z|k)?sh$/.test(program) && input !== undefined && args.every((arg) => /^-[a-z]*$/.test(arg))) {
    return outcomesOf(input, followed(known, depth + 1), isBash(program)) ?? MAY_FAIL;
  }
  if (program === 'node' && /^(-e|--eval|-p)$/.test(args[0] ?? '')) {
    return idleJavaScript(rest[1]) ? SUCCEEDS : MAY_FAIL;
  }
  if (onlyTalks(program, args)) return SUCCEEDS;
  const checker = checkerOf(program, args);
  if (checker !== undefined) {
    if (checker === known.suppose) return SUPPOSED_FAILURE;
    known.met?.add(checker);
    return MAY_FAIL;
  }
  // A kept exit code that is asked for is taken to be the checker's.
  if (
    known.suppose !== undefined &&
    /^(test|\[)$/.test(program) &&
    rest[0]?.dynamic &&
    /^(-eq|==?) 0( \])?$/.test(args.slice(1).join(' '))
  )
    return FAILS;
  if (program === 'wait')
    return args.length === 0 ? SUCCEEDS : known.suppose !== undefined ? FAILS : MAY_FAIL;
  if (program === 'node' && /^(-v|--version|-h|--help)$/.test(args[0] ?? '')) return SUCCEEDS;
  if (program === 'make') {
    const flags = words.slice(0, at).find(({ text }) => text.startsWith('MAKEFLAGS='));
    return makeOutcomes(flags ? [...args, flags.text.slice('MAKEFLAGS='.length)] : args, known, depth);
  }
  // Its own exit code, not that of what it starts for each file.
  if (program === 'find' && args.some((arg) => /^-(exec|ok)(dir)?$/.test(arg)) && args.includes(';'))
    return SUCCEEDS;
  if (
    program === 'prettier' &&
    !args.some((arg) => /^(-[a-zA-Z]*[cl][a-zA-Z]*|--check|--list-different)$/.test(arg))
  )
    return SUCCEEDS;
  if (/^(ba|da|z|k)?sh$/.test(program) || /\.(ba|z|k)?sh$/.test(first.text)) {
    const isShell = program.endsWith('sh') && !first.text.includes('.');
    return fileOutcomes(isShell ? rest : words.slice(at), isShell ? program : undefined, known, depth);
  }
  if (program === 'lint-staged') return args.some((arg) => arg.startsWith('--diff')) ? MAY_FAIL : SUCCEEDS;
  if (isManager(program)) return managerOutcomes(program, args, known, depth);
  if (program === 'run-s' || program === 'run-p' || program === 'npm-run-all') {
    if (args.some((arg) => arg.includes('*') || arg === '-c' || arg.startsWith('--continue')))
      return MAY_FAIL;
    return args
      .filter((arg) => !arg.startsWith('-'))
      .map((name) => scriptOutcomes(name, [], known, depth + 1, true))
      .reduce(andThen, SUCCEEDS);
  }
  return MAY_FAIL;
}

const isBash = (shell: string): boolean => /^(ba|z|k)sh$/.test(shell);

/** A shell script of the repository, by its text; `shell` is the program that is given it, where it is not started by itself. */
function fileOutcomes(words: Words, shell: string | undefined, known: Known, depth: number): Outcomes {
  const [file] = words;
  if (!file || file.dynamic || file.text.startsWith('-')) return MAY_FAIL;
  const text = known.readFile(file.text.replace(/^\.\//, ''));
  if (text === undefined) return MAY_FAIL;
  const runs = shell ?? /^#!.*?(\w+)[^\S\n]*$/m.exec(text.split('\n', 1)[0] ?? '')?.[1] ?? 'sh';
  return outcomesOf(text, followed(known, depth + 1), isBash(runs)) ?? MAY_FAIL;
}

function makeOutcomes(args: readonly string[], known: Known, depth: number): Outcomes {
  // It prints, touches, asks or ignores errors.
  if (
    args.some((arg) =>
      /^(-[BbdeikLmnpqrRsStvw]*[ntiqvh][BbdeikLmnpqrRsStvw]*|--dry-run|--just-print|--recon|--touch|--question|--ignore-errors|--version|--help)$/.test(
        arg,
      ),
    )
  ) {
    return SUCCEEDS;
  }
  const targets = args.filter((arg) => !arg.startsWith('-') && !arg.includes('='));
  const plain = /^(-[BbdekLmrRsSw]+|-j\d*|--silent|--quiet|--keep-going|--no-print-directory|--always-make)$/;
  if (args.some((arg) => arg.startsWith('-') && !plain.test(arg)) || targets.length > 1) return MAY_FAIL;
  const recipe = makeRecipe(known.readFile, targets[0]);
  if (recipe === undefined) return MAY_FAIL;
  return outcomesOf(recipe, followed(known, depth + 1), makesWithBash(known.readFile)) ?? MAY_FAIL;
}

function exitOutcomes(rest: Words, known: Known): Outcomes {
  const [code] = rest;
  // A code that is passed on is taken to be the checker's.
  if (known.suppose !== undefined && (code === undefined || code.dynamic))
    return { ...NOWHERE, exitFail: FAILS.fail };
  if (code === undefined || code.dynamic || !/^\d+$/.test(code.text)) {
    return { ...NOWHERE, exitOk: SUCCEEDS.ok, exitFail: FAILS.fail };
  }
  const zero = Number(code.text) % 256 === 0;
  return { ...NOWHERE, exitOk: zero ? SUCCEEDS.ok : 0, exitFail: zero ? 0 : FAILS.fail };
}

const IDLE_STATEMENTS = [
  /^0?$/,
  /^process\.exit\(0?\)$/,
  /^process\.exitCode\s*=\s*0$/,
  /^console\.\w+\((?:'[^']*'|"[^"]*"|`[^`$]*`)?\)$/,
];

/** Code given on the command line that only sets exit code 0 or prints a literal. */
function idleJavaScript(code: ShellWord | undefined): boolean {
  if (!code || code.dynamic) return false;
  return code.text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .every((part) => IDLE_STATEMENTS.some((idle) => idle.test(part)));
}

function managerOutcomes(manager: string, args: readonly string[], known: Known, depth: number): Outcomes {
  const call = managerCall(manager, args);
  if (call === 'nothing') return SUCCEEDS;
  if (call === 'unknown') return MAY_FAIL;
  return scriptOutcomes(call.script, call.args, known, depth + 1, !call.optional);
}

const quote = (arg: string): string => `'${arg.replaceAll("'", "'\\''")}'`;

function scriptOutcomes(
  name: string,
  args: readonly string[],
  known: Known,
  depth: number,
  needed: boolean,
): Outcomes {
  if (depth > MAX_DEPTH) return MAY_FAIL;
  const { scripts } = known;
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (text === undefined) return needed ? MAY_FAIL : SUCCEEDS;
  const part = (line: string | undefined): Outcomes =>
    line === undefined || line.trim() === ''
      ? SUCCEEDS
      : (outcomesOf(line, followed(known, depth + 1)) ?? MAY_FAIL);
  const around = (prefix: string): Outcomes =>
    part(Object.hasOwn(scripts, prefix + name) ? scripts[prefix + name] : undefined);
  const main = part(args.length === 0 ? text : `${text} ${args.map(quote).join(' ')}`);
  return andThen(andThen(around('pre'), main), around('post'));
}
