/** Names of variables whose values are secrets: keys, tokens and passwords of whatever service. */
const SECRET_NAME =
  /(?:^|_)(?:API_?KEY|ACCESS_?KEY(?:_ID)?|PRIVATE_?KEY|SECRET(?:_?KEY)?|(?:AUTH_?)?TOKEN|PASS(?:WORD|WD|PHRASE)|PAT)(?:_\d+)?$/;

/** Values that stand for "on" or lead to a file are none. */
const isValue = (value: string): boolean =>
  value.trim().length >= 8 && !/^(?:[.~]?\/|[A-Za-z]:[\\/])/.test(value);

/** The values of variables that a person passes on: secrets, whatever they are called. */
export const secretsNamed = (
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string[] => names.flatMap((name) => environment[name] ?? []).filter(isValue);

/** The secrets in an environment, by the names of its variables. */
export function secretsOf(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name.toUpperCase()) && isValue(value) ? [value] : [],
  );
}
