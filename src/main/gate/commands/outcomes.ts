import type {
  AndOr,
  Command,
  CommandNode,
  CompoundList,
  Elif,
  Pipeline,
  PipelineNode,
  Function as ShellFunction,
  Statement,
  WordPart,
} from 'unbash';
import { commandWords, givenInput, parseShell, type ShellWord, shellWord } from './shell-words.ts';

/*
 * Every way in which a command line may end, over all its branches. The tree is walked as a shell would walk it; where it depends on
 * something that is not known, every way is followed. What is never reached does not count: a check behind `exit 0` is none.
 */

/** Ways in which a piece may end. `exit…` ends the whole shell. */
export type Outcomes = { ok: boolean; fail: boolean; exitOk: boolean; exitFail: boolean };

/** Ways that only matter inside a script. */
type Ends = Outcomes & {
  /** It failed where `set -e` does not look: in a condition, or before the last of `&&` and `||`. */
  soft: boolean;
  returnOk: boolean;
  returnFail: boolean;
  /** `break` and `continue`: the rest of the loop's body is not reached. */
  leaves: boolean;
};

/** It never ends: nothing behind it is reached. */
export const NOWHERE: Outcomes = { ok: false, fail: false, exitOk: false, exitFail: false };
export const SUCCEEDS: Outcomes = { ...NOWHERE, ok: true };
export const FAILS: Outcomes = { ...NOWHERE, fail: true };
export const MAY_FAIL: Outcomes = { ...NOWHERE, ok: true, fail: true };

const none: Ends = { ...NOWHERE, soft: false, returnOk: false, returnFail: false, leaves: false };
const succeeds: Ends = { ...none, ok: true };
const mayFail: Ends = { ...none, ok: true, fail: true };
const WAYS = Object.keys(none) as (keyof Ends)[];

const join = (...all: readonly Ends[]): Ends =>
  Object.fromEntries(WAYS.map((way) => [way, all.some((each) => each[way])])) as Ends;
/** What ends more than the piece itself. */
const outward = (a: Ends): Ends => ({ ...a, ok: false, fail: false, soft: false });
const failed = (a: Ends): boolean => a.fail || a.soft;
const isNowhere = (a: Ends): boolean => !WAYS.some((way) => a[way]);

/** A part that runs in a shell of its own: an exit there ends only it. */
export const ownShell = (a: Outcomes): Outcomes => ({
  ...NOWHERE,
  ok: a.ok || a.exitOk,
  fail: a.fail || a.exitFail,
});
export const andThen = (a: Outcomes, b: Outcomes): Outcomes => ({
  ok: a.ok && b.ok,
  fail: a.fail || (a.ok && b.fail),
  exitOk: a.exitOk || (a.ok && b.exitOk),
  exitFail: a.exitFail || (a.ok && b.exitFail),
});

/** Programs whose exit code says nothing about what was piped into them. */
const SWALLOWS = new Set(
  'tee cat head tail uniq wc ts tr cut column less more sort nl tac rev fold fmt pr sponge'.split(' '),
);
/** Editors of streams fail only where their program says so. */
const EDITS: Readonly<Record<string, RegExp>> = {
  sed: /[qQ]\s*\d/,
  awk: /\bexit\b/,
  gawk: /\bexit\b/,
  mawk: /\bexit\b/,
};

/** Does the command, at the end of a pipe, say nothing about what came through it? */
function swallows(node: CommandNode): boolean {
  if (node.type !== 'Command') return false;
  const [first, ...rest] = commandWords(node);
  if (!first) return false;
  const program = first.text.split('/').at(-1) ?? '';
  if (SWALLOWS.has(program)) return true;
  const judges = Object.hasOwn(EDITS, program) ? EDITS[program] : undefined;
  return (
    judges !== undefined && !rest.some((word) => word.dynamic || judges.test(word.text) || word.text === '-f')
  );
}

/** How a simple command stands. */
export type Around = {
  /** Its output goes into a program that may judge it. */
  read: boolean;
  /** It is met in a later round of a loop, whose earlier ones may have ended otherwise. */
  again: boolean;
  /** What it is given on its standard input, where the command line holds it. */
  input: string | undefined;
};

/** What one simple command does, by its words: assignments, program, arguments. */
export type Simple = (words: readonly ShellWord[], around: Around) => Outcomes;

type State = {
  readonly simple: Simple;
  readonly functions: Map<string, ShellFunction['body']>;
  /** Functions and evaluated texts that are being followed: one that calls itself is followed once. */
  readonly inside: ReadonlySet<string>;
  readonly steps: { left: number };
  errexit: boolean;
  pipefail: boolean;
  again: boolean;
  /** How a trap ends the shell: undefined where it leaves the exit code as it is. */
  trap: Ends | undefined;
};

/** More than any script of a person takes. Loops and calls in each other double what is looked at. */
const MAX_STEPS = 100_000;
class TooLong extends Error {}

/**
 * Every way in which the command line may end; undefined for what a shell would refuse as well. One that takes too long to follow is
 * not believed to fail: it was made to be hard to read.
 */
export function outcomesOf(line: string, simple: Simple): Outcomes | undefined {
  const script = parseShell(line);
  if (!script) return undefined;
  const state: State = {
    simple,
    functions: new Map(),
    inside: new Set(),
    steps: { left: MAX_STEPS },
    errexit: false,
    pipefail: false,
    again: false,
    trap: undefined,
  };
  try {
    return inShell(script.commands, state);
  } catch (thrown) {
    if (thrown instanceof TooLong) return SUCCEEDS;
    throw thrown;
  }
}

/** Runs in a shell that is its own: its options, its trap and its exit end with it. */
function inShell(commands: readonly Statement[], outer: State): Outcomes {
  const state: State = { ...outer, trap: undefined, functions: new Map(outer.functions) };
  const ends = list(commands, state);
  const before: Outcomes = {
    ...NOWHERE,
    ok: ends.ok || ends.exitOk || ends.returnOk || ends.leaves,
    fail: failed(ends) || ends.exitFail || ends.returnFail,
  };
  const { trap } = state;
  if (!trap || (!before.ok && !before.fail)) return before;
  // Where the trap ends by itself, the exit code stays what it was.
  const stays = trap.ok || failed(trap);
  return {
    ...NOWHERE,
    ok: trap.exitOk || (stays && before.ok),
    fail: trap.exitFail || (stays && before.fail),
  };
}

const asEnds = (outcomes: Outcomes): Ends => ({ ...none, ...outcomes });

function list(commands: readonly Statement[], state: State): Ends {
  let result = succeeds;
  for (const statement of commands) {
    // `set -e` ends the shell at a failure, but not where the failure was looked at.
    const stopped: Ends = state.errexit && result.fail ? { ...none, exitFail: true } : none;
    const goesOn = result.ok || result.soft || (result.fail && !state.errexit);
    const part = goesOn ? statementEnds(statement, state) : none;
    result = join(outward(result), stopped, part);
  }
  if (state.errexit && result.fail) return { ...result, fail: false, exitFail: true };
  return result;
}

function statementEnds({ command, background }: Statement, state: State): Ends {
  if (!background) return command.type === 'AndOr' ? andOr(command, state) : pipeline(command, state);
  const part = command.type === 'AndOr' ? andOr(command, { ...state }) : pipeline(command, { ...state });
  // In the background: nobody asks how it ends.
  return isNowhere(part) ? none : succeeds;
}

function andOr({ commands, operators }: AndOr, state: State): Ends {
  const [first, ...others] = commands;
  if (!first) return succeeds;
  // Only the last one's failure ends a shell by `set -e`.
  const soft = (ends: Ends): Ends => ({ ...ends, fail: false, soft: failed(ends) });
  let result = pipeline(first, others.length > 0 ? { ...state, errexit: false } : state);
  if (others.length > 0) result = soft(result);
  for (const [index, command] of others.entries()) {
    const isLast = index === others.length - 1;
    const runs = operators[index] === '&&' ? result.ok : failed(result);
    const inner = isLast ? state : { ...state, errexit: false };
    const part = runs ? pipeline(command, inner) : none;
    const kept = operators[index] === '&&' ? { ...none, soft: failed(result) } : { ...none, ok: result.ok };
    result = join(outward(result), kept, isLast ? part : soft(part));
  }
  return result;
}

function pipeline(node: PipelineNode, state: State): Ends {
  if (node.type !== 'Pipeline') return command(node, state, false);
  const negated = node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
  const ends = piped(node, negated ? { ...state, errexit: false } : state);
  return negated ? { ...ends, ok: failed(ends), fail: false, soft: ends.ok } : ends;
}

function piped({ commands }: Pipeline, state: State): Ends {
  const last = commands.at(-1);
  if (!last) return succeeds;
  if (commands.length === 1) return command(last, state, false);
  const judged = !swallows(last);
  const parts = commands.map((each, index) => inOwnShell(each, state, index < commands.length - 1 && judged));
  if (parts.some((part) => !part.ok && !part.fail)) return none;
  const end = judged ? (parts.at(-1) as Outcomes) : SUCCEEDS;
  const all = state.pipefail ? parts.slice(0, -1).reduce((sum, part) => andThen(sum, part), end) : end;
  return asEnds(all);
}

function inOwnShell(node: CommandNode, state: State, read: boolean): Outcomes {
  const inner = { ...state, functions: new Map(state.functions), trap: undefined };
  const ends = command(node, inner, read);
  return {
    ...NOWHERE,
    ok: ends.ok || ends.exitOk || ends.returnOk || ends.leaves,
    fail: failed(ends) || ends.exitFail || ends.returnFail,
  };
}

function command(node: CommandNode, state: State, read: boolean): Ends {
  state.steps.left -= 1;
  if (state.steps.left < 0) throw new TooLong();
  switch (node.type) {
    case 'Command':
      return simpleCommand(node, state, read);
    case 'Redirected':
      return command(node.command, state, read);
    case 'Subshell':
      return asEnds(inShell(node.body.commands, state));
    case 'BraceGroup':
      return list(node.body.commands, state);
    case 'If':
      return branch(node, node.elif, node.else, state);
    case 'While': {
      const negated = node.kind === 'until';
      const clause = (inner: State): Ends => {
        const ends = list(node.clause.commands, { ...inner, errexit: false });
        return negated ? { ...ends, ok: failed(ends), fail: ends.ok, soft: false } : ends;
      };
      return loop(clause, node.body, state);
    }
    case 'For':
    case 'Select': {
      const words = node.wordlist?.map(shellWord);
      const isKnown = words?.every(({ dynamic }) => !dynamic) ?? false;
      const single =
        node.type === 'For' && isKnown && words?.length === 1 && !/[*?[{]/.test(words[0]?.text ?? '');
      if (isKnown && words?.length === 0) return succeeds;
      return rounds(node.body, state, { single, mayBeNone: !isKnown || node.type === 'Select' });
    }
    case 'ArithmeticFor':
      return rounds(node.body, state, { single: false, mayBeNone: true });
    case 'Case': {
      const bodies = node.items.map(({ body }) => list(body.commands, { ...state }));
      const isTotal = node.items.some(({ pattern }) => pattern.some(({ text }) => text === '*'));
      return join(...bodies, isTotal ? none : succeeds);
    }
    case 'TestCommand':
    case 'ArithmeticCommand':
      return mayFail;
    case 'Function':
      state.functions.set(node.name.value, node.body);
      return succeeds;
    case 'Coproc':
      return succeeds;
    default:
      return node satisfies never;
  }
}

/** `if`: a failure in a condition chooses the way, and is no failure of its own. */
function branch(
  present: Pick<Elif, 'clause' | 'then'>,
  [next, ...others]: readonly Elif[],
  otherwise: CompoundList | undefined,
  state: State,
): Ends {
  const clause = list(present.clause.commands, { ...state, errexit: false });
  const not = (): Ends => {
    if (next) return branch(next, others, otherwise, { ...state });
    return otherwise ? list(otherwise.commands, { ...state }) : succeeds;
  };
  return join(
    outward(clause),
    clause.ok ? list(present.then.commands, { ...state }) : none,
    failed(clause) ? not() : none,
  );
}

/** A loop ends as its last round did, or well where there was none. */
function loop(clause: (state: State) => Ends, body: CompoundList, state: State): Ends {
  const begins = clause(state);
  const first = begins.ok ? list(body.commands, { ...state }) : none;
  const goesOn = first.ok || failed(first) || first.leaves;
  const later = { ...state, again: true };
  const asked = goesOn ? clause(later) : none;
  const next = asked.ok ? list(body.commands, later) : none;
  const inside = join(first, next);
  return join(
    outward({ ...begins, leaves: false }),
    outward({ ...asked, leaves: false }),
    outward({ ...inside, leaves: false }),
    failed(begins) || inside.leaves ? succeeds : none,
    failed(asked) ? { ...none, ok: inside.ok, fail: inside.fail, soft: inside.soft } : none,
  );
}

function rounds(
  body: CompoundList,
  state: State,
  { single, mayBeNone }: { single: boolean; mayBeNone: boolean },
): Ends {
  const first = list(body.commands, { ...state });
  const goesOn = !single && (first.ok || failed(first) || first.leaves);
  const next = goesOn ? list(body.commands, { ...state, again: true }) : none;
  const inside = join(first, next);
  return join({ ...inside, leaves: false }, mayBeNone || inside.leaves ? succeeds : none);
}

function simpleCommand(node: Command, state: State, read: boolean): Ends {
  const words = commandWords(node);
  const at = words.findIndex(({ text }) => !/^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(text));
  const first = at < 0 ? undefined : words[at];
  if (!first) return assignments(node, state);
  const rest = words.slice(at + 1);
  const called = state.functions.get(first.text);
  if (called && !first.dynamic) return functionCall(first.text, called, state);
  switch (first.dynamic ? '' : first.text) {
    case 'set':
      setOptions(rest, state);
      return succeeds;
    case 'break':
    case 'continue':
      return { ...none, leaves: true };
    case 'return': {
      const { exitOk, exitFail } = state.simple(words.slice(at), {
        read,
        again: state.again,
        input: undefined,
      });
      return { ...none, returnOk: exitOk, returnFail: exitFail };
    }
    case 'trap':
      return setTrap(rest, state);
    case 'eval':
      return evaluated(rest, state);
    case '.':
    case 'source':
      return { ...mayFail, exitOk: true, exitFail: true };
    default:
      return asEnds(state.simple(words, { read, again: state.again, input: givenInput(node) }));
  }
}

/** Assignments alone end as the last substitution in them did. */
function assignments({ prefix }: Command, state: State): Ends {
  const scripts = prefix.flatMap((each) => {
    if (each.type !== 'Assignment' || each.value.type !== 'Word') return [];
    const parts: WordPart[] = (each.value.parts ?? []).flatMap((part): readonly WordPart[] =>
      part.type === 'DoubleQuoted' ? part.parts : [part],
    );
    return parts.flatMap((part) => (part.type === 'CommandExpansion' && part.script ? [part.script] : []));
  });
  const last = scripts.at(-1);
  return last ? asEnds(inShell(last.commands, state)) : succeeds;
}

/** Follows what stands in a function or a text; its settings hold on behind it. */
function within(name: string, state: State, follow: (inner: State) => Ends): Ends {
  if (state.inside.has(name)) return mayFail;
  const inner: State = { ...state, inside: new Set([...state.inside, name]) };
  const ends = follow(inner);
  const { errexit, pipefail, trap } = inner;
  Object.assign(state, { errexit, pipefail, trap });
  return ends;
}

function functionCall(name: string, body: ShellFunction['body'], state: State): Ends {
  const ends = within(name, state, (inner) =>
    body.type === 'CompoundList' ? list(body.commands, inner) : command(body, inner, false),
  );
  return {
    ...ends,
    ok: ends.ok || ends.returnOk || ends.leaves,
    fail: ends.fail || ends.returnFail,
    returnOk: false,
    returnFail: false,
    leaves: false,
  };
}

function setOptions(words: readonly ShellWord[], state: State): void {
  for (const [index, { text }] of words.entries()) {
    const named = /^[-+][a-zA-Z]*o$/.test(text) ? words[index + 1]?.text : undefined;
    const on = text.startsWith('-');
    if (/^[-+][a-zA-Z]*e[a-zA-Z]*$/.test(text) || named === 'errexit') state.errexit = on;
    if (named === 'pipefail') state.pipefail = on;
  }
}

const AT_EXIT = new Set(['EXIT', '0', 'SIGEXIT']);

/** A trap at the shell's exit may end it otherwise. */
function setTrap(words: readonly ShellWord[], state: State): Ends {
  const given = words.filter(({ text }) => text !== '--');
  const [action, ...signals] = given;
  if (!action || !signals.some(({ text }) => AT_EXIT.has(text))) return succeeds;
  if (action.text === '-' || (action.text === '' && !action.dynamic)) state.trap = undefined;
  else if (action.dynamic && !action.text) state.trap = { ...mayFail, exitOk: true };
  else {
    const script = parseShell(action.text);
    state.trap = script ? list(script.commands, { ...state, errexit: false }) : mayFail;
  }
  return succeeds;
}

function evaluated(words: readonly ShellWord[], state: State): Ends {
  if (words.some(({ dynamic }) => dynamic)) return mayFail;
  const text = words.map((word) => word.text).join(' ');
  const script = parseShell(text);
  if (!script) return { ...none, fail: true };
  return within(`eval ${text}`, state, (inner) => list(script.commands, inner));
}
