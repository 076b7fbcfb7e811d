import type {
  AndOr,
  Case,
  CaseItem,
  Command,
  CommandNode,
  CompoundList,
  Elif,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Function as ShellFunction,
  Statement,
  WordPart,
} from 'unbash';
import {
  askedIn,
  assignedIn,
  commandWords,
  givenInput,
  keepersIn,
  parseShell,
  type ShellWord,
  shellWord,
} from './shell-words.ts';

/*
 * Every way in which a command line may end, over all its branches. The tree is walked as a shell would walk it; where it depends on
 * something that is not known, every way is followed. What is never reached does not count: a check behind `exit 0` is none.
 */

/**
 * Is a way taken? 0: never. 1: on a path on which every check ended as it is known to. 2: behind a check that is supposed to have failed
 * (`HIDDEN` on its way to the end). 3: both.
 */
type Way = number;
const OPEN: Way = 1;
const BEHIND: Way = 2;

/** Ways in which a piece may end. `exit…` ends the whole shell. */
export type Outcomes = { ok: Way; fail: Way; exitOk: Way; exitFail: Way };

/** Ways that only matter inside a script. */
type Ends = Outcomes & {
  /** It failed where `set -e` does not look: in a condition, or before the last of `&&` and `||`. */
  soft: Way;
  returnOk: Way;
  returnFail: Way;
  /** `break` and `continue`: the rest of the loop's body is not reached. */
  leaves: Way;
};

/** It never ends: nothing behind it is reached. */
export const NOWHERE: Outcomes = { ok: 0, fail: 0, exitOk: 0, exitFail: 0 };
export const SUCCEEDS: Outcomes = { ...NOWHERE, ok: OPEN };
export const FAILS: Outcomes = { ...NOWHERE, fail: OPEN };
export const MAY_FAIL: Outcomes = { ...NOWHERE, ok: OPEN, fail: OPEN };
/** A check that is supposed to fail. */
export const SUPPOSED_FAILURE: Outcomes = { ...NOWHERE, fail: BEHIND };
/** Does it end well on a path on which a check was supposed to have failed? */
export const hides = (a: Outcomes): boolean => (a.ok & BEHIND) !== 0;

const none: Ends = { ...NOWHERE, soft: 0, returnOk: 0, returnFail: 0, leaves: 0 };
const succeeds: Ends = { ...none, ok: OPEN };
const mayFail: Ends = { ...none, ok: OPEN, fail: OPEN };
const WAYS = Object.keys(none) as (keyof Ends)[];

const join = (...all: readonly Ends[]): Ends =>
  Object.fromEntries(WAYS.map((way) => [way, all.reduce((sum, each) => sum | each[way], 0)])) as Ends;
/** One way behind another: what stands behind a supposed failure stays behind it. */
const follows = (before: Way, way: Way): Way =>
  (before & OPEN ? way : 0) | (before & BEHIND && way ? BEHIND : 0);
/** All ways of what is done next. */
const after = (before: Way, next: Ends): Ends =>
  Object.fromEntries(WAYS.map((way) => [way, follows(before, next[way])])) as Ends;
/** What ends more than the piece itself. */
const outward = (a: Ends): Ends => ({ ...a, ok: 0, fail: 0, soft: 0 });
const failed = (a: Ends): Way => a.fail | a.soft;
const anyWay = (a: Ends): Way => WAYS.reduce((sum, way) => sum | a[way], 0);

/** A part that runs in a shell of its own: an exit there ends only it. */
export const ownShell = (a: Outcomes): Outcomes => ({
  ...NOWHERE,
  ok: a.ok | a.exitOk,
  fail: a.fail | a.exitFail,
});
export const andThen = (a: Outcomes, b: Outcomes): Outcomes => ({
  ok: follows(a.ok, b.ok),
  fail: a.fail | follows(a.ok, b.fail),
  exitOk: a.exitOk | follows(a.ok, b.exitOk),
  exitFail: a.exitFail | follows(a.ok, b.exitFail),
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
  /** The script gives this variable its value. */
  keeps(name: string): boolean;
  /** What it is given on its standard input, where the command line holds it. */
  input: string | undefined;
};

/** What one simple command does, by its words: assignments, program, arguments. */
export type Simple = (words: readonly ShellWord[], around: Around) => Outcomes;

export type Reading = {
  simple: Simple;
  /** A check is supposed to fail: a condition that asks how it ended leads nowhere that is known. */
  supposes: boolean;
};

/** How a command ended. */
type Status = Pick<Outcomes, 'ok' | 'fail'>;

type State = Reading & {
  /** Surely a shell with the words of bash: others take `&>` for the background. */
  readonly isBash: boolean;
  readonly assigned: ReadonlySet<string>;
  /** Variables that keep one exit code, and what is known of it once they do. */
  readonly keepers: ReadonlySet<string>;
  readonly kept: Map<string, Status>;
  /** How the command before ended, which is `$?`; undefined: not known. */
  before: Status | undefined;
  /** How the last command in the background ends. */
  background: Status | undefined;
  readonly functions: Map<string, ShellFunction['body']>;
  /** Functions and evaluated texts that are being followed: one that calls itself is followed once. */
  readonly inside: ReadonlySet<string>;
  readonly steps: { left: number };
  errexit: boolean;
  /** In a condition, or before the last of `&&` and `||`: there `set -e` has no effect, even if it stands there. */
  unheeded: boolean;
  pipefail: boolean;
  again: boolean;
  /** How a trap ends the shell: undefined where it leaves the exit code as it is. */
  trap: Ends | undefined;
  /** The same of a trap that a failing command springs. */
  failTrap: Ends | undefined;
};

/** More than any script of a person takes. Loops and calls in each other double what is looked at. */
const MAX_STEPS = 100_000;
class TooLong extends Error {}

/**
 * Every way in which the command line may end; undefined for what a shell would refuse as well. One that takes too long to follow is
 * not believed to fail: it was made to be hard to read.
 */
export function outcomesOf(line: string, reading: Reading, isBash = false): Outcomes | undefined {
  const script = parseShell(line);
  if (!script) return undefined;
  const state: State = {
    ...reading,
    isBash,
    assigned: assignedIn(script),
    keepers: keepersIn(script),
    kept: new Map(),
    before: SUCCEEDS,
    background: undefined,
    functions: new Map(),
    inside: new Set(),
    steps: { left: MAX_STEPS },
    errexit: false,
    unheeded: false,
    pipefail: false,
    again: false,
    trap: undefined,
    failTrap: undefined,
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
  const state: State = {
    ...outer,
    trap: undefined,
    failTrap: undefined,
    functions: new Map(outer.functions),
  };
  const before = wholeShell(list(commands, state));
  const { trap } = state;
  if (!trap) return before;
  const ended = before.ok | before.fail;
  // Where the trap ends by itself, the exit code stays what it was.
  const stays = trap.ok | failed(trap);
  return {
    ...NOWHERE,
    ok: follows(ended, trap.exitOk) | follows(stays, before.ok),
    fail: follows(ended, trap.exitFail) | follows(stays, before.fail),
  };
}

const wholeShell = (ends: Ends): Outcomes => ({
  ...NOWHERE,
  ok: ends.ok | ends.exitOk | ends.returnOk | ends.leaves,
  fail: failed(ends) | ends.exitFail | ends.returnFail,
});

const asEnds = (outcomes: Outcomes): Ends => ({ ...none, ...outcomes });

function list(commands: readonly Statement[], state: State): Ends {
  let result = succeeds;
  for (const [index, statement] of commands.entries()) {
    // `set -e` ends the shell at a failure, but not where the failure was looked at.
    const stops = state.errexit && !state.unheeded;
    const stopped: Ends = stops ? { ...none, exitFail: result.fail } : none;
    const goesOn = result.ok | result.soft | (stops ? 0 : result.fail);
    if (index > 0) state.before = { ok: result.ok, fail: stops ? result.soft : failed(result) };
    const asks = statement.background || !goesOn ? undefined : passedOn(statement.command, goesOn, state);
    const part = goesOn ? (asks ?? after(goesOn, trapped(statementEnds(statement, state), state))) : none;
    result = join(outward(result), stopped, part);
  }
  if (state.errexit && !state.unheeded)
    return { ...result, fail: 0, exitFail: result.exitFail | result.fail };
  return result;
}

/**
 * A command that ends as another one did: `exit`, `return`, `wait $!`, on a path that was taken in the way `path`. What is known of the
 * other one was known of all that path already. Undefined: it does something else, or that is not known.
 */
function passedOn(node: PipelineNode | AndOr, path: Way, state: State): Ends | undefined {
  if (node.type !== 'Command' || node.redirects.length > 0) return undefined;
  const [first, code, ...more] = commandWords(node);
  if (!first || first.dynamic || more.length > 0) return undefined;
  const keeper = /^([A-Za-z_]\w*)=(["']?)\$\?\2$/.exec(first.text)?.[1];
  if (keeper !== undefined && !code && state.before && state.keepers.has(keeper))
    state.kept.set(keeper, state.before);
  const asked = !code || code.text === '$?' ? state.before : state.kept.get(code.text.slice(1));
  const status = first.text === 'wait' ? (code?.text === '$!' ? state.background : undefined) : asked;
  if (!status || (code && !code.dynamic)) return undefined;
  const way = (taken: Way): Way => (taken && path === BEHIND ? BEHIND : taken);
  const [ok, fail] = [way(status.ok), way(status.fail)];
  if (first.text === 'exit') return { ...none, exitOk: ok, exitFail: fail };
  if (first.text === 'return' && !(state.isBash && state.inside.size === 0))
    return { ...none, returnOk: ok, returnFail: fail };
  return first.text === 'wait' ? { ...none, ok, fail } : undefined;
}

/** A failure springs the trap that was set for it, where `set -e` would see it. */
function trapped(ends: Ends, { failTrap, unheeded }: State): Ends {
  if (!failTrap || unheeded || !ends.fail) return ends;
  return {
    ...ends,
    fail: follows(failTrap.ok | failed(failTrap), ends.fail),
    exitOk: ends.exitOk | follows(ends.fail, failTrap.exitOk),
    exitFail: ends.exitFail | follows(ends.fail, failTrap.exitFail),
  };
}

/** Follows what stands where `set -e` has no effect. What it sets holds on behind it. */
function unheeded(state: State, follow: (inner: State) => Ends): Ends {
  const inner: State = { ...state, unheeded: true };
  const ends = follow(inner);
  keepSettings(inner, state);
  return ends;
}

function keepSettings({ errexit, pipefail, trap, failTrap }: State, into: State): void {
  Object.assign(into, { errexit, pipefail, trap, failTrap });
}

function statementEnds({ command, background }: Statement, state: State): Ends {
  if (!background) return command.type === 'AndOr' ? andOr(command, state) : pipeline(command, state);
  const part = command.type === 'AndOr' ? andOr(command, { ...state }) : pipeline(command, { ...state });
  // In the background: nobody asks how it ends.
  state.background = wholeShell(part);
  return inBackground(part);
}

const inBackground = (part: Ends): Ends => ({ ...none, ok: anyWay(part) });

function andOr({ commands, operators }: AndOr, state: State): Ends {
  const [first, ...others] = commands;
  if (!first) return succeeds;
  // Only the last one's failure ends a shell by `set -e`.
  const soft = (ends: Ends): Ends => ({ ...ends, fail: 0, soft: failed(ends) });
  if (others.length === 0) return pipeline(first, state);
  let result = soft(unheeded(state, (inner) => pipeline(first, inner)));
  for (const [index, command] of others.entries()) {
    const isLast = index === others.length - 1;
    const runs = operators[index] === '&&' ? result.ok : failed(result);
    state.before = operators[index] === '&&' ? { ok: result.ok, fail: 0 } : { ok: 0, fail: failed(result) };
    const follow = (): Ends =>
      isLast ? pipeline(command, state) : unheeded(state, (inner) => pipeline(command, inner));
    const part = runs ? after(runs, follow()) : none;
    const kept = operators[index] === '&&' ? { ...none, soft: failed(result) } : { ...none, ok: result.ok };
    result = join(outward(result), kept, isLast ? part : soft(part));
  }
  return result;
}

function pipeline(node: PipelineNode, state: State): Ends {
  if (node.type !== 'Pipeline') return command(node, state, false);
  const negated = node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
  if (!negated) return piped(node, state);
  const ends = unheeded(state, (inner) => piped(node, inner));
  return { ...ends, ok: failed(ends), fail: 0, soft: ends.ok };
}

function piped({ commands }: Pipeline, state: State): Ends {
  const last = commands.at(-1);
  if (!last) return succeeds;
  if (commands.length === 1) return command(last, state, false);
  const judged = !swallows(last);
  const parts = commands.map((each, index) => inOwnShell(each, state, index < commands.length - 1 && judged));
  if (parts.some((part) => !part.ok && !part.fail)) return none;
  const end = judged ? (parts.at(-1) as Outcomes) : SUCCEEDS;
  if (state.pipefail) return asEnds(parts.slice(0, -1).reduce((sum, part) => andThen(sum, part), end));
  // They run side by side, and nobody asks how these end.
  const unasked = judged ? parts.slice(0, -1) : parts;
  return unasked.reduce<Ends>((sum, part) => after(part.ok | part.fail, sum), asEnds(end));
}

function inOwnShell(node: CommandNode, state: State, read: boolean): Outcomes {
  const inner: State = {
    ...state,
    functions: new Map(state.functions),
    trap: undefined,
    failTrap: undefined,
  };
  return wholeShell(command(node, inner, read));
}

function command(node: CommandNode, state: State, read: boolean): Ends {
  state.steps.left -= 1;
  if (state.steps.left < 0) throw new TooLong();
  switch (node.type) {
    case 'Command':
      return redirected(node.redirects, state, () => simpleCommand(node, state, read));
    case 'Redirected':
      return redirected(node.redirects, state, () => command(node.command, state, read));
    case 'Subshell':
      return asEnds(inShell(node.body.commands, state));
    case 'BraceGroup':
      return list(node.body.commands, state);
    case 'If':
      return branch(node, node.elif, node.else, state);
    case 'While': {
      const negated = node.kind === 'until';
      const clause = (inner: State): Ends => {
        const ends = unheeded(inner, (condition) => list(node.clause.commands, condition));
        return negated ? { ...ends, ok: failed(ends), fail: ends.ok, soft: 0 } : ends;
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
      const items = reachedItems(node);
      const bodies = items.map(({ body }) => list(body.commands, { ...state }));
      const isTotal = items.length < node.items.length || items.some(isTotalItem);
      return join(...bodies, isTotal ? none : succeeds);
    }
    case 'TestCommand':
    case 'ArithmeticCommand':
      return state.supposes && [...askedIn(node)].some((name) => keeps(name, state)) ? none : mayFail;
    case 'Function':
      state.functions.set(node.name.value, node.body);
      return succeeds;
    case 'Coproc':
      return succeeds;
    default:
      return node satisfies never;
  }
}

const isTotalItem = ({ pattern }: CaseItem): boolean => pattern.some(({ text }) => text === '*');

/** The items of a `case` that may be chosen: one, where its word and the patterns up to it hold nothing that only the shell knows. */
function reachedItems({ word, items }: Case): readonly CaseItem[] {
  const asked = shellWord(word);
  if (asked.dynamic || items.some(({ terminator }) => terminator !== undefined && terminator !== ';;'))
    return items;
  for (const item of items) {
    const patterns = item.pattern.map(shellWord);
    if (isTotalItem(item) || patterns.some(({ text, dynamic }) => !dynamic && text === asked.text))
      return [item];
    if (patterns.some(({ text, dynamic }) => dynamic || /[*?[\\]/.test(text))) return items;
  }
  return items;
}

/** `if`: a failure in a condition chooses the way, and is no failure of its own. */
function branch(
  present: Pick<Elif, 'clause' | 'then'>,
  [next, ...others]: readonly Elif[],
  otherwise: CompoundList | undefined,
  state: State,
): Ends {
  const clause = unheeded(state, (inner) => list(present.clause.commands, inner));
  const not = (): Ends => {
    const before = { ok: 0, fail: failed(clause) };
    if (next) return branch(next, others, otherwise, { ...state, before });
    return otherwise ? list(otherwise.commands, { ...state, before }) : succeeds;
  };
  return join(
    outward(clause),
    clause.ok
      ? after(clause.ok, list(present.then.commands, { ...state, before: { ok: clause.ok, fail: 0 } }))
      : none,
    failed(clause) ? after(failed(clause), not()) : none,
  );
}

/** A loop ends as its last round did, or well where there was none. */
function loop(clause: (state: State) => Ends, body: CompoundList, state: State): Ends {
  const begins = clause(state);
  const first = begins.ok ? after(begins.ok, list(body.commands, { ...state, before: SUCCEEDS })) : none;
  const goesOn = first.ok | failed(first) | first.leaves;
  const later = { ...state, again: true, before: undefined };
  const asked = goesOn ? after(goesOn, clause(later)) : none;
  const next = asked.ok ? after(asked.ok, list(body.commands, later)) : none;
  const inside = join(first, next);
  return join(
    outward({ ...begins, leaves: 0 }),
    outward({ ...asked, leaves: 0 }),
    outward({ ...inside, leaves: 0 }),
    { ...none, ok: failed(begins) | begins.leaves | asked.leaves | inside.leaves },
    failed(asked) ? { ...none, ok: inside.ok, fail: inside.fail, soft: inside.soft } : none,
  );
}

function rounds(
  body: CompoundList,
  state: State,
  { single, mayBeNone }: { single: boolean; mayBeNone: boolean },
): Ends {
  const first = list(body.commands, { ...state, before: undefined });
  const goesOn = single ? 0 : first.ok | failed(first) | first.leaves;
  const next = goesOn
    ? after(goesOn, list(body.commands, { ...state, again: true, before: undefined }))
    : none;
  const inside = join(first, next);
  return join({ ...inside, leaves: 0 }, { ...none, ok: (mayBeNone ? OPEN : 0) | inside.leaves });
}

/** `?` is the exit code of the command before. */
const keeps = (name: string, { assigned }: State): boolean => name === '?' || assigned.has(name);

/** `&>` is the background and an empty command for a shell that is not bash: nobody asks how it ends. */
function redirected(redirects: Command['redirects'], { isBash }: State, follow: () => Ends): Ends {
  const ends = follow();
  const splits = redirects.some((each) => each.type === 'Redirect' && each.operator.startsWith('&>'));
  return splits && !isBash ? inBackground(ends) : ends;
}

function simpleCommand(node: Command, state: State, read: boolean): Ends {
  const words = commandWords(node);
  const at = words.findIndex(({ text }) => !/^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(text));
  const first = at < 0 ? undefined : words[at];
  if (!first) return assignments(node, state);
  const rest = words.slice(at + 1);
  const asks = passedOn(node, OPEN, state);
  if (asks) return asks;
  const called = state.functions.get(first.text);
  if (called && !first.dynamic) return functionCall(first.text, called, state);
  switch (first.dynamic ? '' : first.text) {
    case 'set':
      setOptions(rest, state);
      return succeeds;
    case 'break':
    case 'continue':
      return { ...none, leaves: OPEN };
    case 'return': {
      // Outside of functions bash refuses it and goes on, others take it for `exit`.
      if (state.isBash && state.inside.size === 0) return { ...none, fail: OPEN };
      const { exitOk, exitFail } = state.simple(words.slice(at), {
        read,
        again: state.again,
        keeps: (name) => keeps(name, state),
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
      return { ...mayFail, exitOk: OPEN, exitFail: OPEN };
    default:
      return after(
        hidden(node, first.text, state),
        asEnds(
          state.simple(words, {
            read,
            again: state.again,
            keeps: (name) => keeps(name, state),
            input: givenInput(node),
          }),
        ),
      );
  }
}

/** The commands whose output a word is made of, as far as they stand in it openly. */
function substitutions(each: Command['args'][number]): ParsedScript[] {
  const word = each.type === 'Assignment' ? each.value : each;
  if (word.type !== 'Word') return [];
  const parts: WordPart[] = (word.parts ?? []).flatMap((part): readonly WordPart[] =>
    part.type === 'DoubleQuoted' ? part.parts : [part],
  );
  return parts.flatMap((part) => (part.type === 'CommandExpansion' && part.script ? [part.script] : []));
}

/** Assignments alone end as the last substitution in them did. */
function assignments({ prefix }: Command, state: State): Ends {
  const last = prefix.flatMap((each) => (each.type === 'Assignment' ? substitutions(each) : [])).at(-1);
  // bash takes `set -e` back in a substitution.
  return last ? asEnds(inShell(last.commands, { ...state, errexit: false })) : succeeds;
}

/** They end well however what they print, or keep, came about. */
const DROPS_EXIT_CODE = /^(echo|printf|export|local|declare|typeset|readonly|alias|:|true)$/;

/** What a command that drops exit codes hides in its words. */
function hidden(node: Command, program: string, state: State): Way {
  if (!DROPS_EXIT_CODE.test(program)) return OPEN;
  return node.args.flatMap(substitutions).reduce((sum, script) => {
    const { ok, fail } = inShell(script.commands, { ...state, errexit: false });
    return follows(sum, ok | fail);
  }, OPEN);
}

/** Follows what stands in a function or a text; its settings hold on behind it. */
function within(name: string, state: State, follow: (inner: State) => Ends): Ends {
  if (state.inside.has(name)) return mayFail;
  const inner: State = { ...state, inside: new Set([...state.inside, name]) };
  const ends = follow(inner);
  keepSettings(inner, state);
  return ends;
}

function functionCall(name: string, body: ShellFunction['body'], state: State): Ends {
  const ends = within(name, state, (inner) =>
    body.type === 'CompoundList' ? list(body.commands, inner) : command(body, inner, false),
  );
  return {
    ...ends,
    ok: ends.ok | ends.returnOk | ends.leaves,
    fail: ends.fail | ends.returnFail,
    returnOk: 0,
    returnFail: 0,
    leaves: 0,
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

const AT_EXIT = /^(SIG)?EXIT$|^0$/i;
/** Sprung by a command that fails (bash), by each command, or when a program ends (dash). */
const AT_FAILURE = /^(SIG)?(ERR|DEBUG|CHLD|CLD)$|^17$/i;

/** A trap at the shell's exit, or at a failure, may end it otherwise. */
function setTrap(words: readonly ShellWord[], state: State): Ends {
  const given = words.filter(({ text }) => text !== '--');
  const [action, ...signals] = given;
  if (!action) return succeeds;
  const sprung = (): Ends | undefined => {
    if (action.text === '-' || (action.text === '' && !action.dynamic)) return undefined;
    if (action.dynamic && !action.text) return { ...mayFail, exitOk: OPEN };
    const script = parseShell(action.text);
    // What `return` does in a trap differs between shells.
    const read = (ends: Ends): Ends => (ends.returnOk | ends.returnFail ? { ...ends, exitOk: OPEN } : ends);
    return script
      ? read(
          list(script.commands, {
            ...state,
            errexit: false,
            trap: undefined,
            failTrap: undefined,
            before: undefined,
          }),
        )
      : mayFail;
  };
  if (signals.some(({ text }) => AT_EXIT.test(text))) state.trap = sprung();
  if (signals.some(({ text }) => AT_FAILURE.test(text))) state.failTrap = sprung();
  return succeeds;
}

function evaluated(words: readonly ShellWord[], state: State): Ends {
  if (words.some(({ dynamic }) => dynamic)) return mayFail;
  const text = words.map((word) => word.text).join(' ');
  const script = parseShell(text);
  if (!script) return { ...none, fail: OPEN };
  return within(`eval ${text}`, state, (inner) => list(script.commands, inner));
}
