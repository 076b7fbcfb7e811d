import { posix } from 'node:path';
import type { CompilerOptions, ParseConfigHost, ParsedCommandLine } from 'typescript';
import type { Tree } from './commit-tree.ts';
import { type Invocation, openWords } from './invocations.ts';
import { runnerGlob } from './runner-globs.ts';
import type { TypescriptApi } from './typescript.ts';

/** What one run of a type checker reads. */
export type TypecheckFact = {
  step: string;
  label: string;
  build: boolean;
  /** Configurations read, relative to the top. */
  configs: string[];
  /** Files of the repository in its programs. */
  covered: ReadonlySet<string>;
  /** Its configuration names no file of its own, only references that it does not follow without -b. */
  solutionOnly: boolean;
  /** Files in the programs of the references that are not followed. */
  unfollowed: ReadonlySet<string>;
  /** It writes nothing for the files that it checks. */
  noEmit: boolean;
  /** It keeps what it knew in a file, whose place the command or a configuration names, or is beside that. */
  incremental: boolean;
  /** Where the compiler writes what it makes of a file, so that tests run from there are known. */
  outputs: ReadonlyMap<string, string>;
  /** Which files it reads can't be told; nothing is concluded. */
  unread?: string;
  /** `noCheck`, or an error in the configuration. */
  problems: string[];
};

/** Checkers that take the files to read from the command line. */
const TAKES_FILES = /^(tsc|vue-tsc|tsgo|vue-tsgo)$/;
const CHECKERS = /^(tsc|vue-tsc|tsgo|svelte-check|vue-tsgo)$/;
/** Their builds check types by the project's tsconfig.json, unless told not to. */
const CHECKING_BUILDS: readonly (readonly [string, RegExp])[] = [
  ['next', /^build$/],
  ['ng', /^(build|b)$/],
  ['react-scripts', /^build$/],
];
const ROOT = '/repository';

const inside = (path: string): string | undefined =>
  path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : undefined;

export function isTypecheck({ program, args }: Pick<Invocation, 'program' | 'args'>): boolean {
  if (CHECKERS.test(program))
    return !args.some((arg) => /^(--version|-v|--init|--showConfig|--help|-h)$/.test(arg));
  return CHECKING_BUILDS.some(([name, verb]) => name === program && verb.test(args[0] ?? ''));
}

/** Real `tsconfig` resolution over the commit's files: extends, references, include, exclude, files, imports. */
export function typecheckFact(ts: TypescriptApi, tree: Tree, invocation: Invocation): TypecheckFact {
  const reader = configReader(ts, tree);
  const { program, args, dir } = invocation;
  const at = args.findIndex((arg) => /^(-b|--build|-build)$/.test(arg));
  const build = at >= 0;
  const named = build ? args.slice(at + 1).filter((arg) => !arg.startsWith('-')) : [];
  const project = optionValue(args, ['-p', '--project', '-project', '--tsconfig']);
  const positional = build || !TAKES_FILES.test(program) ? [] : positionalFiles(args);
  const absolute = (path: string): string => posix.resolve(ROOT, dir, path);
  const fact = {
    step: invocation.step,
    label: [program, ...args].join(' '),
    build,
    configs: [] as string[],
    covered: new Set<string>(),
    solutionOnly: false,
    unfollowed: new Set<string>(),
    noEmit: true,
    incremental: args.some((arg) => /^--?(incremental|composite|tsBuildInfoFile)$/i.test(arg)),
    outputs: new Map<string, string>(),
    problems: [] as string[],
  };
  const open = openWords(invocation) ?? args.find((arg) => arg.startsWith('@'));
  if (open !== undefined) return { ...fact, noEmit: false, unread: `the command names files by ${open}` };
  const saysNoEmit = args.some((arg, index) => arg === '--noEmit' && args[index + 1] !== 'false');
  if (positional.length > 0) {
    fact.noEmit = saysNoEmit;
    reader.closure(
      positional.flatMap((word) => expanded(word, dir, tree)).map((path) => posix.join(ROOT, path)),
      {},
      fact.covered,
    );
    return fact;
  }
  const targets = named.length > 0 ? named : [project ?? '.'];
  const skipsChecks = args.some((arg) => /^--?noCheck$/i.test(arg));
  if (skipsChecks) fact.problems.push('--noCheck checks no types');
  const seen = new Set<string>();
  for (const target of targets)
    visit(reader.configAt(absolute(target), project === undefined && !build), build, fact.covered);
  return fact;

  function visit(path: string | undefined, follow: boolean, into: Set<string>): void {
    if (path === undefined || seen.has(path)) return;
    seen.add(path);
    const parsed = reader.parse(path);
    const shown = inside(path) ?? path;
    if (!parsed) {
      fact.problems.push(`${shown} does not exist or can't be read`);
      return;
    }
    fact.configs.push(shown);
    if (!saysNoEmit && parsed.options.noEmit !== true) fact.noEmit = false;
    if (parsed.options.incremental || parsed.options.composite) fact.incremental = true;
    if (parsed.options.noCheck) fact.problems.push(`${shown} sets noCheck: no types are checked`);
    if (!skipsChecks && !parsed.options.noCheck) reader.closure(parsed.fileNames, parsed.options, into);
    reader.outputs(parsed, fact.outputs);
    const references = (parsed.projectReferences ?? []).map((reference) =>
      reader.configAt(reference.path, false),
    );
    if (follow) for (const reference of references) visit(reference, true, into);
    else if (references.length > 0) {
      if (parsed.fileNames.length === 0) fact.solutionOnly = true;
      for (const reference of references) visit(reference, true, fact.unfollowed);
    }
  }
}

function optionValue(args: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [name = '', value] = arg.split('=', 2);
    if (names.includes(name)) return value ?? args[index + 1];
  }
  return undefined;
}

const FLAGS_WITH_VALUE =
  /^(--?(target|module|moduleResolution|lib|jsx|outDir|outFile|rootDir|declarationDir|types|typeRoots|project|p|t|m|tsBuildInfoFile|baseUrl|customConditions))$/i;

/** Words that name files, and are no option's value. */
function positionalFiles(args: readonly string[]): string[] {
  const files: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (FLAGS_WITH_VALUE.test(arg)) at += 1;
    else if (!arg.startsWith('-') && /\.[cm]?[jt]sx?$|[*?[{]/.test(arg)) files.push(arg);
  }
  return files;
}

/** The files of the repository that a word of a command means; the shell of a script takes `**` for `*`. */
function expanded(word: string, dir: string, tree: Tree): string[] {
  const path = posix.join(dir, word);
  if (!/[*?[{]/.test(word)) return [path];
  const pattern = runnerGlob(path.replaceAll('**', '*'));
  return tree.files.filter((file) => pattern.test(file));
}

type Internals = {
  matchFiles(
    path: string,
    extensions: readonly string[],
    excludes: readonly string[] | undefined,
    includes: readonly string[] | undefined,
    caseSensitive: boolean,
    currentDirectory: string,
    depth: number | undefined,
    entries: (path: string) => { files: string[]; directories: string[] },
    realpath: (path: string) => string,
  ): string[];
};

type ConfigReader = {
  /** The configuration that a `-p` argument or a reference means; `upwards`: as tsc without -p looks for it. */
  configAt(path: string, upwards: boolean): string | undefined;
  parse(path: string): ParsedCommandLine | undefined;
  /** Adds the JavaScript file that each source becomes. */
  outputs(parsed: ParsedCommandLine, into: Map<string, string>): void;
  /** Adds the files of the repository that a program with these roots holds. */
  closure(roots: readonly string[], options: CompilerOptions, into: Set<string>): void;
};

const readers = new WeakMap<Tree, ConfigReader>();

function configReader(ts: TypescriptApi, tree: Tree): ConfigReader {
  const known = readers.get(tree);
  if (known) return known;
  const directories = new Map<string, { files: string[]; directories: Set<string> }>();
  const entry = (path: string): { files: string[]; directories: Set<string> } => {
    let found = directories.get(path);
    if (!found) {
      found = { files: [], directories: new Set() };
      directories.set(path, found);
    }
    return found;
  };
  for (const file of tree.files) {
    const parts = file.split('/');
    for (let depth = 0; depth < parts.length; depth += 1) {
      const here = entry([ROOT, ...parts.slice(0, depth)].join('/'));
      const name = parts[depth] ?? '';
      if (depth === parts.length - 1) here.files.push(name);
      else here.directories.add(name);
    }
  }
  const readFile = (path: string): string | undefined => {
    const relative = inside(path);
    if (relative === undefined) return undefined;
    return tree.has(relative) ? (tree.read(relative) ?? '') : tree.readInstalled(relative);
  };
  const fileExists = (path: string): boolean => readFile(path) !== undefined;
  const directoryExists = (path: string): boolean =>
    directories.has(path) || /\/node_modules(\/|$)/.test(path);
  const host: ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    fileExists,
    readFile,
    readDirectory: (path, extensions, excludes, includes, depth) =>
      (ts as unknown as Internals).matchFiles(
        path,
        extensions,
        excludes,
        includes,
        true,
        ROOT,
        depth,
        (each) => {
          const found = directories.get(each.replace(/\/$/, ''));
          return { files: found?.files ?? [], directories: [...(found?.directories ?? [])] };
        },
        (each) => each,
      ),
  };
  const parsed = new Map<string, ParsedCommandLine | undefined>();
  const imports = new Map<string, readonly string[]>();
  const reader: ConfigReader = {
    configAt(path, upwards) {
      if (fileExists(path)) return path;
      for (let at = path; at.startsWith(ROOT); at = at.slice(0, at.lastIndexOf('/'))) {
        const file = `${at}/tsconfig.json`;
        if (fileExists(file)) return file;
        if (!upwards || at === ROOT) break;
      }
      return undefined;
    },
    parse(path) {
      if (!parsed.has(path)) {
        const result = fileExists(path)
          ? ts.getParsedCommandLineOfConfigFile(
              path,
              {},
              {
                ...host,
                getCurrentDirectory: () => ROOT,
                onUnRecoverableConfigFileDiagnostic: () => undefined,
              },
            )
          : undefined;
        parsed.set(path, result);
      }
      return parsed.get(path);
    },
    outputs(parsed, into) {
      if (parsed.options.noEmit || parsed.options.outDir === undefined) return;
      for (const file of parsed.fileNames) {
        const source = inside(file);
        if (source === undefined || /\.d\.[cm]?ts$/.test(source)) continue;
        for (const made of ts.getOutputFileNames(parsed, file, false)) {
          const output = inside(made);
          if (output !== undefined && /\.[cm]?jsx?$/.test(output)) into.set(source, output);
        }
      }
    },
    closure(roots, options, into) {
      const waiting = [...roots];
      const seen = new Set<string>();
      const cache = ts.createModuleResolutionCache(ROOT, (name) => name, options);
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        if (seen.has(file)) continue;
        seen.add(file);
        const relative = inside(file);
        if (relative === undefined || /(^|\/)node_modules\//.test(relative)) continue;
        into.add(relative);
        let names = imports.get(file);
        if (!names) {
          const info = ts.preProcessFile(readFile(file) ?? '', true, true);
          names = [
            ...info.importedFiles.map(({ fileName }) => fileName),
            ...info.referencedFiles.map(({ fileName }) => `./${fileName}`.replace('././', './')),
          ];
          imports.set(file, names);
        }
        for (const name of names) {
          // A package of another name is not of this repository, unless a path mapping or workspace says so.
          if (!/^[./#@~]/.test(name) && !('paths' in options) && !('baseUrl' in options)) continue;
          const found = ts.resolveModuleName(
            name,
            file,
            options,
            { fileExists, readFile, directoryExists },
            cache,
          );
          const target = found.resolvedModule?.resolvedFileName;
          if (target !== undefined) waiting.push(target);
        }
      }
    },
  };
  readers.set(tree, reader);
  return reader;
}

/** What each of the files reaches through imports of the repository's own modules, itself left out. */
export function importReach(
  ts: TypescriptApi,
  tree: Tree,
  files: readonly string[],
): Map<string, ReadonlySet<string>> {
  const reader = configReader(ts, tree);
  const options: CompilerOptions = { moduleResolution: ts.ModuleResolutionKind.Bundler, allowJs: true };
  const reach = new Map<string, ReadonlySet<string>>();
  for (const file of files) {
    const config = reader.configAt(posix.dirname(posix.join(ROOT, file)), true);
    const paths = config === undefined ? undefined : reader.parse(config)?.options;
    const into = new Set<string>();
    reader.closure(
      [posix.join(ROOT, file)],
      {
        ...options,
        ...(paths?.paths ? { paths: paths.paths } : {}),
        ...(paths?.baseUrl ? { baseUrl: paths.baseUrl } : {}),
        // Where `paths` begin if there is no base URL.
        ...(paths?.pathsBasePath ? { pathsBasePath: paths.pathsBasePath } : {}),
      },
      into,
    );
    into.delete(file);
    reach.set(file, into);
  }
  return reach;
}
