import { forEachChild, type SyntaxNode } from 'unbash';
import { checkerOf, isIdle } from './checkers.ts';
import { makeRecipe, type ReadFile } from './make-target.ts';
import { managerCall } from './manager-call.ts';
import { isManager, type Scripts } from './package-scripts.ts';
import { commandsIn, commandWords, parseShell, type ShellWord } from './shell-words.ts';
import { installedAt, programName, wrappedAt } from './wrappers.ts';

/** A program and the words behind it. */
export type Program = { name: string; args: readonly string[] };
/** `isWhole` is false where the command may start more than was found. */
export type Programs = { found: Program[]; isWhole: boolean };

/** Words of the shell, and programs that only pass on text: neither says anything of its own about code. */
const QUIET = new Set(
  'false test [ set wait trap exit return break continue shift local read kill cp mv git cat head tail tee grep sort sed awk'.split(
    ' ',
  ),
);
const MAX_DEPTH = 12;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const SHELL = /^(ba|da|z|k)?sh$/;

type Walk = Programs & { scripts: Scripts; readFile: ReadFile; seen: Set<string> };

/**
 * Every program that a command line may start, in whatever branch: through scripts, shells and Makefiles, as far as they can be read.
 * Words of the shell and programs that only pass on text are left out.
 */
export function programsOf(command: string, scripts: Scripts, readFile: ReadFile): Programs {
  const walk: Walk = { scripts, readFile, found: [], isWhole: true, seen: new Set() };
  line(command, walk, 0);
  return { found: walk.found, isWhole: walk.isWhole };
}

function line(text: string | undefined, walk: Walk, depth: number): void {
  const script = text === undefined || depth > MAX_DEPTH ? undefined : parseShell(text);
  if (!script) {
    walk.isWhole = false;
    return;
  }
  const functions = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Function') functions.add(node.name.value);
    forEachChild(node, visit);
  };
  visit(script);
  for (const each of commandsIn(script)) {
    const words = commandWords(each);
    const at = words.findIndex((word) => !ASSIGNMENT.test(word.text));
    if (at >= 0 && !functions.has(words[at]?.text ?? '')) program(words.slice(at), walk, depth);
  }
}

function program(words: readonly ShellWord[], walk: Walk, depth: number): void {
  const [first] = words;
  const texts = words.map(({ text }) => text);
  const installed = installedAt(texts);
  const inner = installed === undefined ? wrappedAt(texts) : { at: installed, sure: true };
  if (!first || first.dynamic || (inner && !inner.sure)) {
    walk.isWhole = false;
    return;
  }
  if (inner) {
    program(words.slice(inner.at), walk, depth);
    return;
  }
  const name = programName(first.text);
  const args = texts.slice(1);
  if (isIdle(name) || QUIET.has(name)) return;
  const read = readable(name, words, walk);
  if (read) line(read.text, walk, depth + 1);
  else if (name === 'make') make(args, walk, depth);
  else if (isManager(name) && checkerOf(name, args) === undefined) manager(name, args, walk, depth);
  else walk.found.push({ name, args });
}

/** The shell text that a program is given, undefined where it can't be read; no object for a program that takes none. */
function readable(
  name: string,
  [first, option, given]: readonly ShellWord[],
  { readFile }: Walk,
): { text: string | undefined } | undefined {
  const file = (word: ShellWord | undefined): { text: string | undefined } => ({
    text:
      word === undefined || word.dynamic || word.text.startsWith('-')
        ? undefined
        : readFile(word.text.replace(/^\.\//, '')),
  });
  if (SHELL.test(name)) {
    const isText = /^-[a-z]*c$/.test(option?.text ?? '');
    return isText ? { text: given?.dynamic === false ? given.text : undefined } : file(option);
  }
  return /\.(ba|z|k)?sh$/.test(name) ? file(first) : undefined;
}

function make(args: readonly string[], walk: Walk, depth: number): void {
  const targets = args.filter((arg) => !arg.startsWith('-'));
  const elsewhere = targets.length > 1 || args.some((arg) => /^(-[a-zA-Z]*[CfI]|--\w*(dir|file))/.test(arg));
  line(elsewhere ? undefined : makeRecipe(walk.readFile, targets[0]), walk, depth + 1);
}

function manager(name: string, args: readonly string[], walk: Walk, depth: number): void {
  const call = managerCall(name, args);
  if (call === 'nothing') return;
  if (call === 'unknown') {
    walk.isWhole = false;
    return;
  }
  // yarn and pnpm start a program where no script has the name.
  if (!Object.hasOwn(walk.scripts, call.script)) walk.found.push({ name: call.script, args: call.args });
  for (const script of [`pre${call.script}`, call.script, `post${call.script}`]) {
    if (!Object.hasOwn(walk.scripts, script) || walk.seen.has(script)) continue;
    walk.seen.add(script);
    line(walk.scripts[script], walk, depth + 1);
  }
}
