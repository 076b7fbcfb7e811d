import { posix } from 'node:path';
import type { Invocation } from '../audit/invocations.ts';
import { loadedFile } from './loaded-file.ts';

/** Options of runners, checkers and interpreters whose value is a file that decides or runs with them. */
const LOADING =
  /^(-c|--config(-?file|-?path)?|-p|--project|--tsconfig|-b|--build|--rcfile|--ignore-path|--nycrc-path|-r|--require|--file|--import|--(experimental-)?loader|--preload|-R|--reporters?|--test-reporter|--setupFiles(AfterEnv)?|--global-?[sS]etup|--global-?[tT]eardown|--testRunner|--testEnvironment|--resolver|--runner|--opts|--rulesdir|--env-file(-if-exists)?)$/;
const INTERPRETER = /^((ba|da|z|k)?sh|node|bun|deno|tsx|ts-node|python3?(\.\d+)?|ruby|perl|pwsh)$/;
/** Of its own tests and of code an interpreter starts no script. */
const NO_SCRIPT = /^(-c|-e|-p|--eval|--test|-m)$/;

/**
 * Pure: the files of the repository that programs are started from, and those that their options name as configuration or as loaded
 * before. `has`: the repository has a file of this path.
 */
export function commandFiles(
  invocations: readonly Pick<Invocation, 'program' | 'file' | 'args' | 'dir'>[],
  has: (path: string) => boolean,
): { programs: Set<string>; options: Set<string> } {
  const programs = new Set<string>();
  const options = new Set<string>();
  for (const { program, file, args, dir } of invocations) {
    const take = (word: string, into: Set<string>): void => {
      if (word === '' || word.startsWith('/')) return;
      const at = posix.join(dir, word);
      // A bare word of an option is a name that the program knows, such as that of a reporter.
      const isName = into === options && !/[./]/.test(word);
      const found = isName ? (has(at) ? at : undefined) : loadedFile(at, has);
      if (found !== undefined) into.add(found);
    };
    if (file !== undefined) take(file, programs);
    let script = INTERPRETER.test(program) && !args.some((arg) => NO_SCRIPT.test(arg));
    for (let index = 0; index < args.length; index += 1) {
      const word = args[index] ?? '';
      const [name = '', ...rest] = word.split('=');
      if (LOADING.test(name)) take(rest.length > 0 ? rest.join('=') : (args[++index] ?? ''), options);
      else if (!word.startsWith('-') && word !== 'run' && script) {
        take(word, programs);
        script = false;
      }
    }
  }
  return { programs, options };
}
