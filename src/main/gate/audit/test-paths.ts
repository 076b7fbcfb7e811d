/** The path of a file seen from a directory of the repository; undefined where it lies outside. '' is the top. */
export function below(dir: string, path: string): string | undefined {
  if (dir === '' || dir === '.') return path;
  return path.startsWith(`${dir}/`) ? path.slice(dir.length + 1) : undefined;
}

/** Joins a directory of the repository and what a configuration says, such as `./src` or `../shared`. */
export function within(dir: string, more: string): string {
  const parts: string[] = [];
  for (const part of `${dir}/${more.replace(/<rootDir>/g, '.')}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** All values of an option, given as `--name value` or `--name=value`. */
export const options = (args: readonly string[], ...names: string[]): string[] =>
  args.flatMap((arg, index) => {
    const [name = '', ...rest] = arg.split('=');
    if (!names.includes(name)) return [];
    return [rest.length > 0 ? rest.join('=') : (args[index + 1] ?? '')];
  });

/** Value of `--name value` or `--name=value`; the last one counts. */
export function option(args: readonly string[], ...names: string[]): string | undefined {
  return options(args, ...names).at(-1);
}

/** Words that are no option and no option's value, as far as that can be told. */
export function positionals(args: readonly string[], withValue: RegExp): string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') continue;
    if (arg.startsWith('-')) {
      if (!arg.includes('=') && withValue.test(arg)) at += 1;
    } else found.push(arg);
  }
  return found;
}
