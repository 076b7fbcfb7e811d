import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';

/** One word of a command line. `dynamic`: it holds an expansion, so that its whole text is not known. */
export type ShellWord = { text: string; dynamic: boolean };

/** The script as a tree; undefined where a shell would refuse it, too. */
export function parseShell(text: string): ParsedScript | undefined {
  const script = parse(text);
  return (script.errors?.length ?? 0) === 0 ? script : undefined;
}

/** A word as the program gets it. Of a variable its name is kept, of a substitution nothing. */
export function shellWord(word: Word): ShellWord {
  if (!word.parts) return { text: word.value, dynamic: false };
  const read = word.parts.map(partWord);
  return { text: read.map(({ text }) => text).join(''), dynamic: read.some(({ dynamic }) => dynamic) };
}

function partWord(part: WordPart): ShellWord {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, dynamic: false };
    case 'DoubleQuoted':
    case 'LocaleString': {
      const read = part.parts.map(partWord);
      return { text: read.map(({ text }) => text).join(''), dynamic: read.some(({ dynamic }) => dynamic) };
    }
    case 'SimpleExpansion':
      return { text: part.text, dynamic: true };
    case 'ParameterExpansion':
      return { text: part.operation ? '' : `$${part.parameter}`, dynamic: true };
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return { text: part.text, dynamic: false };
    default:
      return { text: '', dynamic: true };
  }
}

/** Assignments before a command, its name and its arguments, in order; redirections are left out. */
export function commandWords(command: Command): ShellWord[] {
  const words: ShellWord[] = [];
  for (const each of command.prefix)
    if (each.type === 'Assignment') words.push({ text: each.text, dynamic: false });
  if (command.name) words.push(shellWord(command.name));
  for (const each of command.args) {
    words.push(each.type === 'Assignment' ? { text: each.text, dynamic: false } : shellWord(each));
  }
  return words;
}

/**
 * What a program is given on its standard input by the command line itself, as far as it can be read; undefined where nothing
 * is.
 */
export function givenInput(command: Command): string | undefined {
  const last = command.redirects.findLast(({ type }) => type === 'HereDoc' || type === 'HereString');
  if (last?.type === 'HereDoc') return last.body.text;
  return last?.type === 'HereString' && last.target ? shellWord(last.target).text : undefined;
}

/**
 * The commands of a script that is one chain of `&&` without here-documents, and nothing else; undefined for any other. In it each runs only after the one
 * before ended well, and the script ends well only if all did.
 */
export function andChain(script: ParsedScript): readonly Command[] | undefined {
  const [only, ...others] = script.commands;
  if (!only || others.length > 0 || only.background) return undefined;
  const { command } = only;
  const commands = command.type === 'AndOr' ? command.commands : [command];
  if (command.type === 'AndOr' && command.operators.some((operator) => operator !== '&&')) return undefined;
  const isPlain = (each: (typeof commands)[number]): each is Command =>
    each.type === 'Command' && each.redirects.every(({ type }) => type === 'Redirect');
  return commands.every(isPlain) ? commands : undefined;
}

/** The variables that a script gives a value itself, such as one that keeps an exit code. */
export function assignedIn(script: ParsedScript): Set<string> {
  const found = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && node.name !== undefined) found.add(node.name);
    forEachChild(node, visit);
  };
  visit(script);
  return found;
}

/** Of these the ones that are given a value once, and by it keep an exit code: `code=$?`. */
export function keepersIn(script: ParsedScript): Set<string> {
  const values = new Map<string, string[]>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && node.name !== undefined)
      values.set(node.name, [...(values.get(node.name) ?? []), node.text]);
    forEachChild(node, visit);
  };
  visit(script);
  return new Set(
    [...values].flatMap(([name, all]) =>
      all.length === 1 && /=(["']?)\$\?\1$/.test(all[0] ?? '') ? [name] : [],
    ),
  );
}

/** The variables whose values a part of a script asks for; `?` is the last exit code. */
export function askedIn(part: SyntaxNode): Set<string> {
  const found = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'SimpleExpansion') found.add(node.text.slice(1));
    else if (node.type === 'ParameterExpansion') found.add(node.parameter);
    else if (node.type === 'ArithmeticWord') found.add(node.value);
    forEachChild(node, visit);
  };
  visit(part);
  return found;
}

/** Every simple command of a script, wherever it stands in it: in branches, loops, functions and substitutions, too. */
export function commandsIn(script: ParsedScript): Command[] {
  const found: Command[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command') found.push(node);
    forEachChild(node, visit);
  };
  visit(script);
  return found;
}
