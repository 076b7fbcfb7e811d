/** What of the user's clone is compared: names with a mark that changes when the thing does. Values are never kept. */
export type OutsideState = {
  /** `scope key` → mark of its values. */
  config: ReadonlyMap<string, string>;
  /** Full name → commit. The base is not among them: landing moves it. */
  refs: ReadonlyMap<string, string>;
  base: { name: string; tip: string | undefined };
  /** Branch or commit that is checked out. */
  head: string;
  /** File name → mark of size, mode and time. */
  hooks: ReadonlyMap<string, string>;
  /** Path → staged content that differs from what is checked out. */
  staged: ReadonlyMap<string, string>;
};

const MOST_NAMES = 5;

/** `refs: new topic; gone old; moved v1`, at most five names of each kind. */
function differences(
  label: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const kinds: [string, string[]][] = [
    ['new', [...after.keys()].filter((name) => !before.has(name))],
    ['gone', [...before.keys()].filter((name) => !after.has(name))],
    [
      'changed',
      [...after].flatMap(([name, mark]) => (before.has(name) && before.get(name) !== mark ? [name] : [])),
    ],
  ];
  const parts = kinds.flatMap(([kind, names]) => {
    if (names.length === 0) return [];
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
    return [`${kind} ${names.toSorted().slice(0, MOST_NAMES).map(plain).join(', ')}${more}`];
  });
  return parts.length === 0 ? [] : [`${label}: ${parts.join('; ')}`];
}

/** A file name may hold anything, and this goes to a terminal. */
export const plain = (name: string): string => name.replace(/\p{Cc}/gu, '?');

const STASH = 'refs/stash';
const without = (refs: ReadonlyMap<string, string>): Map<string, string> => {
  const rest = new Map(refs);
  rest.delete(STASH);
  return rest;
};

/** What changed in the user's clone between two looks, in words that name it; empty: nothing. */
export function driftBetween(before: OutsideState, after: OutsideState): string[] {
  return [
    ...differences('config', before.config, after.config),
    ...differences('refs', without(before.refs), without(after.refs)),
    ...(before.refs.get(STASH) === after.refs.get(STASH) ? [] : ['stash: changed']),
    ...(before.head === after.head ? [] : [`checked out: ${before.head} before, ${after.head} now`]),
    ...differences('hooks', before.hooks, after.hooks),
    ...differences('index', before.staged, after.staged),
  ];
}
