import { type Command, forEachChild, type Pipeline, parse, type SyntaxNode, type Word } from 'unbash';

/*
 * Whether `{prompt}` stands where its text stays text. A shell does not parse again what it expands from a variable, but a program may: an
 * inner shell, `eval`, `su --command`, `tmux new`, `awk`. No list of those is complete, so the prompt is only let through as an argument
 * of a plain command whose program is not known to run its arguments, or in the one nested form that is understood: `sh -c 'SCRIPT'`.
 */

/** Stands for the prompt while the command line is read. */
const MARK = 'HEADWAYPROMPTMARK';

const SHELLS = /^(?:(?:ba|da|z|k|mk|pdk|a|c|tc|fi)?sh|nu|elvish|xonsh)(?:-?[\d.]+)?$/;
/** Run a script file with arguments, and code that an option gives. */
const LANGUAGES =
  /^(?:(?:python|pypy|ruby|perl|node|nodejs|php|lua|luajit|Rscript|julia|groovy|guile|tclsh|wish)[\d.]*|deno|bun|tsx|ts-node)$/;
const CODE_OPTION = /^(?:-[A-Za-z]*[ceprEPB]|--(?:eval|print|command|execute|run|exec))(?:=|$)/;
/** Take an argument or their input as a command, or as code of their own; builtins that evaluate what they get among them. */
const EVALUATORS = new Set(
  `eval . source trap alias builtin let test [ [[ declare typeset local export readonly unset read mapfile readarray
  bind complete compgen enable coproc su sudo doas pkexec runuser gosu setpriv ssh mosh rsh tmux screen zellij dtach script watch
  xargs parallel find fd make gmake just awk gawk mawk nawk sed ed ex vi vim nvim emacs expect osascript cmd powershell pwsh wsl
  docker podman nerdctl kubectl lxc machinectl nsenter chroot unshare flatpak-spawn systemd-run at batch crontab strace ltrace
  gdb lldb socat ncat nc busybox toybox hyperfine entr flock xterm gnome-terminal konsole kitty alacritty wezterm psql mysql sqlite3
  jq yq m4 bc dc octave`.split(/\s+/),
);
/** Start the program that follows, with its arguments as they are: name, and options that take a value of their own. */
const WRAPPERS: Record<string, { values: RegExp; operands: number }> = {
  command: { values: /^$/, operands: 0 },
  env: { values: /^(?:-u|--unset|-C|--chdir)$/, operands: 0 },
  exec: { values: /^-a$/, operands: 0 },
  ionice: { values: /^-[cn]$/, operands: 0 },
  nice: { values: /^(?:-n|--adjustment)$/, operands: 0 },
  nohup: { values: /^$/, operands: 0 },
  setsid: { values: /^$/, operands: 0 },
  stdbuf: { values: /^-[ioe]$/, operands: 0 },
  time: { values: /^-[of]$/, operands: 0 },
  timeout: { values: /^(?:-[ks]|--signal|--kill-after)$/, operands: 1 },
};

const REMEDY =
  'Give the program {promptFile}, a file that holds the prompt, or put {prompt} where it is one argument of a plain command';

/** Why the prompt must not stand where `template` has it, with the way out; undefined where its text stays text. */
export function promptProblem(template: string): string | undefined {
  const marked = template
    .replace(/(?<!\$)\{prompt\}/g, MARK)
    .replace(/(?<!\$)\{(?:promptFile|ticket|dir)\}/g, 'x');
  const why = marked.includes(MARK) ? scriptProblem(marked, false) : undefined;
  return why && `${why}. ${REMEDY}.`;
}

const countMarks = (text: string): number => text.split(MARK).length - 1;

/** `nested`: the script of an inner shell, where the reference brings quotes of its own. */
function scriptProblem(text: string, nested: boolean): string | undefined {
  const script = parse(text);
  if ((script.errors?.length ?? 0) > 0) return '{prompt} stands in a command line that cannot be read';
  let understood = 0;
  let problem: string | undefined;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Word') return; // what is substituted inside a word has quotes of its own
    if (node.type === 'Function' || node.type === 'Coproc') problem ??= '{prompt} stands beside a function';
    if (node.type === 'Pipeline') problem ??= pipelineProblem(node);
    if (node.type === 'Command') {
      const marks = marksIn(node, nested);
      understood += marks;
      if (marks > 0) problem ??= commandProblem(node, nested);
    }
    forEachChild(node, visit);
  };
  visit(script);
  if (problem !== undefined) return problem;
  // In a redirection, an assignment, a condition, a here-document, arithmetic, a loop's words or a name.
  return understood === countMarks(text) ? undefined : '{prompt} is no argument of a command where it stands';
}

/** Marks that are text of an argument. */
function marksIn(command: Command, nested: boolean): number {
  let marks = 0;
  for (const argument of command.args) if (argument.type === 'Word') marks += marksOfWord(argument, nested);
  return marks;
}

function marksOfWord(word: Word, nested: boolean): number {
  if (!word.parts) return countMarks(word.text);
  let marks = 0;
  for (const part of word.parts) {
    if (part.type === 'Literal') marks += countMarks(part.text);
    else if (nested) continue;
    else if (part.type === 'SingleQuoted') marks += countMarks(part.value);
    else if (part.type === 'DoubleQuoted') {
      for (const each of part.parts) if (each.type === 'Literal') marks += countMarks(each.text);
    }
  }
  return marks;
}

/** What an earlier command prints is the input of a later one, which must not run it. */
function pipelineProblem({ commands }: Pipeline): string | undefined {
  const first = commands.findIndex((each) => each.type === 'Command' && marksIn(each, false) > 0);
  if (first < 0) return undefined;
  for (const each of commands.slice(first + 1)) {
    const name = each.type === 'Command' ? programOf(words(each)).name : undefined;
    if (name === undefined || SHELLS.test(name) || LANGUAGES.test(name) || EVALUATORS.has(name)) {
      return `{prompt} goes through a pipe to ${name ?? 'commands'}, which may run it`;
    }
  }
  return undefined;
}

type Argument = { text: string; hasMark: boolean; word: Word | undefined };

const words = (command: Command): Argument[] =>
  [command.name, ...command.args].flatMap((each) =>
    each === undefined
      ? []
      : {
          text: each.type === 'Word' ? each.value : each.text,
          hasMark: each.text.includes(MARK),
          word: each.type === 'Word' ? each : undefined,
        },
  );

const baseName = (path: string): string => path.split('/').at(-1) ?? path;

/** The program behind wrappers, and its arguments; `undefined` where it is not told by a plain word. */
function programOf(all: readonly Argument[]): { name: string | undefined; args: readonly Argument[] } {
  let rest = all;
  for (;;) {
    const [first] = rest;
    if (!first || first.hasMark || first.word?.parts?.some(({ type }) => type !== 'Literal')) {
      return { name: undefined, args: rest };
    }
    const wrapper = WRAPPERS[baseName(first.text)];
    if (!wrapper) return { name: baseName(first.text), args: rest.slice(1) };
    rest = behindWrapper(rest.slice(1), wrapper);
  }
}

function behindWrapper(args: readonly Argument[], { values, operands }: (typeof WRAPPERS)[string] & object) {
  let index = 0;
  for (; index < args.length; index += 1) {
    const { text, hasMark } = args[index] as Argument;
    if (hasMark || /^-[^-]*S|^--split-string/.test(text)) return []; // env -S: a command line in one word
    if (values.test(text)) index += 1;
    else if (!text.startsWith('-') && !/^[A-Za-z_]\w*=/.test(text)) break;
  }
  return args.slice(index + operands);
}

function commandProblem(command: Command, nested: boolean): string | undefined {
  const { name, args } = programOf(words(command));
  if (name === undefined) return 'it cannot be told which program gets {prompt}';
  if (SHELLS.test(name)) return shellProblem(name, args, nested);
  if (EVALUATORS.has(name)) return `${name} may run what {prompt} holds`;
  if (LANGUAGES.test(name)) return languageProblem(name, args);
  const at = args.findIndex(({ hasMark }) => hasMark);
  const earlier = args.slice(0, at).map(({ text }) => baseName(text));
  const inner = earlier.find((text) => SHELLS.test(text) || text === 'eval');
  if (inner !== undefined) return `${name} gives {prompt} to ${inner}, which may run it`;
  const option = [earlier.at(-1) ?? '', args[at]?.text ?? ''].find((text) => CODE_OPTION.test(text));
  if (option !== undefined && /^-[ce](?:=|$)|^--/.test(option)) {
    return `${name} may run what its option ${option.replace(/=.*/s, '')} holds`;
  }
  return undefined;
}

/** `sh FILE … {prompt}`, or `sh -c 'SCRIPT'` with the prompt inside the script and nowhere else. */
function shellProblem(name: string, args: readonly Argument[], nested: boolean): string | undefined {
  const [first, second, ...rest] = args;
  if (first && !first.hasMark && /^[^-+]/.test(first.text)) return undefined;
  const quoted = second?.word?.parts?.length === 1 ? second.word.parts[0] : undefined;
  const isScript = !nested && /^-[a-z]*c$/.test(first?.text ?? '') && second?.hasMark === true;
  if (!isScript || rest.some(({ hasMark }) => hasMark)) return `${name} may run what {prompt} holds`;
  if (quoted?.type === 'SingleQuoted') return scriptProblem(quoted.value, true);
  if (quoted?.type !== 'DoubleQuoted') return `${name} may run what {prompt} holds`;
  if (quoted.parts.some(({ type }) => type !== 'Literal' && type !== 'SimpleExpansion')) {
    return `it cannot be told which script ${name} gets`;
  }
  const script = quoted.parts.map((part) => (part.type === 'Literal' ? part.value : 'x')).join('');
  return scriptProblem(script, true);
}

/** `python agent.py {prompt}`: a script or module before the prompt, and no code from an option. */
function languageProblem(name: string, args: readonly Argument[]): string | undefined {
  for (const { text, hasMark } of args) {
    if (hasMark) break;
    if (text === '-m') return undefined;
    if (CODE_OPTION.test(text)) break;
    if (!text.startsWith('-')) return undefined;
  }
  return `${name} may run what {prompt} holds`;
}

/** The same for cmd.exe, whose nested forms are many and whose grammar nobody wrote down: any inner shell is refused. */
export function windowsPromptProblem(template: string): string | undefined {
  if (!template.includes('{prompt}')) return undefined;
  const names = template
    .split(/[\s"'=,;()&|<>@^]+/)
    .map((word) => (word.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:exe|cmd|bat|com)$/i, '').toLowerCase());
  const inner = names.find(
    (name) => SHELLS.test(name) || EVALUATORS.has(name) || ['start', 'call', 'for', 'if'].includes(name),
  );
  return inner === undefined ? undefined : `${inner} may run what {prompt} holds. ${REMEDY}.`;
}
