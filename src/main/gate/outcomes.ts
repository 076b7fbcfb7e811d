import { shellTokens, type Token } from './shell-tokens.ts';

/** Every way in which a piece of a command line may end. `exit…` ends the whole shell. */
export type Outcomes = { ok: boolean; fail: boolean; exitOk: boolean; exitFail: boolean };

/** It never ends: nothing behind it is reached. */
export const NOWHERE: Outcomes = { ok: false, fail: false, exitOk: false, exitFail: false };
const none = NOWHERE;
export const SUCCEEDS: Outcomes = { ...none, ok: true };
export const FAILS: Outcomes = { ...none, fail: true };
export const MAY_FAIL: Outcomes = { ...none, ok: true, fail: true };

const isNowhere = (a: Outcomes): boolean => !(a.ok || a.fail || a.exitOk || a.exitFail);

const join = (a: Outcomes, b: Outcomes): Outcomes => ({
  ok: a.ok || b.ok,
  fail: a.fail || b.fail,
  exitOk: a.exitOk || b.exitOk,
  exitFail: a.exitFail || b.exitFail,
});
const exitsOf = (a: Outcomes): Outcomes => ({ ...none, exitOk: a.exitOk, exitFail: a.exitFail });

/** A part that runs in a shell of its own: an exit there ends only it. */
export const ownShell = (a: Outcomes): Outcomes => ({
  ...none,
  ok: a.ok || a.exitOk,
  fail: a.fail || a.exitFail,
});
export const andThen = (a: Outcomes, b: Outcomes): Outcomes =>
  join(exitsOf(a), join({ ...none, fail: a.fail }, a.ok ? b : none));
const orElse = (a: Outcomes, b: Outcomes): Outcomes =>
  join(exitsOf(a), join({ ...none, ok: a.ok }, a.fail ? b : none));

/** Programs whose exit code says nothing about what was piped into them. */
const SWALLOWS = new Set([
  'tee',
  'cat',
  'head',
  'tail',
  'uniq',
  'wc',
  'ts',
  'tr',
  'cut',
  'column',
  'less',
  'more',
  'sort',
  'nl',
  'tac',
  'rev',
  'fold',
  'fmt',
  'pr',
  'sponge',
]);
/** Editors of streams fail only where their program says so. */
const EDITS: Readonly<Record<string, RegExp>> = {
  sed: /[qQ]\s*\d/,
  awk: /\bexit\b/,
  gawk: /\bexit\b/,
  mawk: /\bexit\b/,
};

/** Does the program, at the end of a pipe, say nothing about what came through it? */
function swallows(words: readonly Token[]): boolean {
  const [first, ...rest] = words;
  if (first?.kind !== 'word') return false;
  const program = first.text.split('/').at(-1) ?? '';
  if (SWALLOWS.has(program)) return true;
  const judges = Object.hasOwn(EDITS, program) ? EDITS[program] : undefined;
  return (
    judges !== undefined &&
    !rest.some(
      (word) => word.kind === 'word' && (word.dynamic || judges.test(word.text) || word.text === '-f'),
    )
  );
}

const RESERVED = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'select',
  'function',
  '[[',
  'in',
  'trap',
  'eval',
  'source',
  '.',
  'alias',
]);

/** What one simple command does, by its words. `read`: its output goes into a program that may judge it. */
export type Simple = (words: readonly (Token & { kind: 'word' })[], read: boolean) => Outcomes;

type State = { tokens: Token[]; at: number; errexit: boolean; pipefail: boolean };
class NotFollowed extends Error {}

/**
 * Every way in which the command line may end, over all its branches; undefined for syntax that is not followed
 * (then nothing may be concluded).
 */
export function outcomesOf(line: string, simple: Simple): Outcomes | undefined {
  const tokens = shellTokens(line);
  if (!tokens) return undefined;
  const state: State = { tokens, at: 0, errexit: false, pipefail: false };
  try {
    const outcomes = list(state, simple);
    return state.at === tokens.length ? ownShell(outcomes) : undefined;
  } catch (thrown) {
    if (thrown instanceof NotFollowed) return undefined;
    throw thrown;
  }
}

const isOperator = (token: Token | undefined, ...texts: string[]): boolean =>
  token?.kind === 'operator' && texts.includes(token.text);
const isPlain = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'word' && !token.quoted && !token.dynamic && token.text === text;

function list(state: State, simple: Simple): Outcomes {
  let result: Outcomes = SUCCEEDS;
  while (state.at < state.tokens.length) {
    while (isOperator(state.tokens[state.at], ';')) state.at += 1;
    const token = state.tokens[state.at];
    if (!token || isOperator(token, ')') || isPlain(token, '}')) break;
    const errexit = state.errexit;
    let part = andOr(state, simple);
    if (isOperator(state.tokens[state.at], '&')) {
      state.at += 1;
      if (!isNowhere(part)) part = SUCCEEDS; // in the background: nobody asks how it ends
    }
    const goesOn = errexit ? result.ok : result.ok || result.fail;
    const stopped = errexit && result.fail ? { ...none, exitFail: true } : none;
    result = join(join(exitsOf(result), stopped), goesOn ? part : none);
  }
  return result;
}

function andOr(state: State, simple: Simple): Outcomes {
  let result = pipeline(state, simple);
  for (;;) {
    const token = state.tokens[state.at];
    if (!isOperator(token, '&&', '||')) return result;
    state.at += 1;
    const next = pipeline(state, simple);
    result = isOperator(token, '&&') ? andThen(result, next) : orElse(result, next);
  }
}

function pipeline(state: State, simple: Simple): Outcomes {
  const negated = isPlain(state.tokens[state.at], '!');
  if (negated) state.at += 1;
  const parts = [command(state, simple)];
  while (isOperator(state.tokens[state.at], '|')) {
    state.at += 1;
    parts.push(command(state, simple));
  }
  const last = parts.at(-1);
  if (!last) throw new NotFollowed();
  let outcomes = last.outcomes;
  if (parts.length > 1) {
    outcomes = last.swallows === true ? SUCCEEDS : ownShell(outcomes);
    if (state.pipefail) {
      const all = parts.slice(0, -1).map((part) => ownShell(part.outcomes));
      outcomes = all.reduce((sum, part) => andThen(sum, part), outcomes);
    }
  }
  if (parts.some((part) => isNowhere(part.outcomes))) outcomes = NOWHERE;
  return negated ? { ...outcomes, ok: outcomes.fail, fail: outcomes.ok } : outcomes;
}

/** Is what stands here piped into a program that looks at it, and not just passes it on? */
function isRead(state: State): boolean {
  if (!isOperator(state.tokens[state.at], '|')) return false;
  const rest = state.tokens.slice(state.at);
  const end = rest.findIndex((token) => token.kind === 'operator' && token.text !== '|');
  const pipe = end < 0 ? rest : rest.slice(0, end);
  return !swallows(pipe.slice(pipe.findLastIndex((token) => isOperator(token, '|')) + 1));
}

function command(state: State, simple: Simple): { outcomes: Outcomes; swallows?: boolean } {
  const token = state.tokens[state.at];
  if (isOperator(token, '(')) {
    state.at += 1;
    const inner: State = { ...state };
    const outcomes = ownShell(list(inner, simple));
    if (!isOperator(inner.tokens[inner.at], ')')) throw new NotFollowed();
    state.at = inner.at + 1;
    return { outcomes };
  }
  if (isPlain(token, '{')) {
    state.at += 1;
    const outcomes = list(state, simple);
    if (!isPlain(state.tokens[state.at], '}')) throw new NotFollowed();
    state.at += 1;
    return { outcomes };
  }
  const words: (Token & { kind: 'word' })[] = [];
  for (let next = state.tokens[state.at]; next?.kind === 'word'; next = state.tokens[state.at]) {
    words.push(next);
    state.at += 1;
  }
  const first = words[0];
  if (!first) throw new NotFollowed();
  if (!first.quoted && RESERVED.has(first.text)) throw new NotFollowed();
  if (isPlain(first, 'set')) {
    const options = words.slice(1).map(({ text }) => text);
    if (options.some((text) => /^-[a-z]*e[a-z]*$/.test(text)) || options.includes('errexit'))
      state.errexit = true;
    if (options.includes('+e')) state.errexit = false;
    if (options.includes('pipefail')) state.pipefail = true;
    return { outcomes: SUCCEEDS };
  }
  return { outcomes: simple(words, isRead(state)), swallows: swallows(words) };
}
