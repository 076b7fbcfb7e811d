import { statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../../processes/environment.ts';
import { run } from '../../processes/run.ts';
import type { Toolchain } from './dependency-key.ts';

const PROBE_TIMEOUT_MS = 30_000;
const PROBE =
  'JSON.stringify([process.version,process.versions.modules,process.platform,process.arch,process.platform==="linux"?(process.report.excludeNetwork=true,process.report.getReport().header.glibcVersionRuntime??"musl"):""])';

/** The file that a program name leads to; undefined where the PATH has none. */
function findProgram(name: string, env: Environment): { path: string; mark: string } | undefined {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const directory of (env.PATH ?? env.Path ?? '').split(delimiter)) {
    if (!isAbsolute(directory)) continue; // a relative entry would mean the slot's own files
    for (const suffix of suffixes) {
      const path = join(directory, name + suffix);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile()) return { path, mark: `${path} ${found.size} ${found.mtimeMs} ${found.ino}` };
    }
  }
  return undefined;
}

/**
 * Asks programs for their versions, once per file and pin: a new Node under the same path is another file, and a version
 * manager's shim answers by the directory, whose pins are part of the question.
 */
export class Toolchains {
  readonly #answers = new Map<string, Promise<string | undefined>>();

  /** Version as the program prints it in `cwd`; undefined where it is missing or fails. */
  async #ask(
    program: string,
    args: readonly string[],
    env: Environment,
    cwd: string,
    pins: string,
  ): Promise<string | undefined> {
    const found = findProgram(program, env);
    if (!found) return undefined;
    const question = JSON.stringify([found.mark, args, pins]);
    let answer = this.#answers.get(question);
    if (!answer) {
      answer = run({
        command:
          process.platform === 'win32' ? { shell: [program, ...args].join(' ') } : { file: found.path, args },
        cwd,
        env,
        timeoutMs: PROBE_TIMEOUT_MS,
      }).then((result) =>
        result.status === 'exited' && result.exit === 0 ? result.stdout.trim() : undefined,
      );
      this.#answers.set(question, answer);
      // A failure may be a passing one.
      void answer.then((value) => value === undefined && this.#answers.delete(question));
    }
    return answer;
  }

  async look(programs: Iterable<string>, env: Environment, cwd: string, pins: string): Promise<Toolchain> {
    const [node, ...managers] = await Promise.all([
      this.#ask('node', ['-p', PROBE], env, cwd, pins),
      ...Array.from(programs, (program) => this.#ask(program, ['--version'], env, cwd, pins)),
    ]);
    let parts: string[] = [];
    try {
      parts = JSON.parse(node ?? '[]') as string[];
    } catch {
      // a shim that prints something else: the text itself tells versions apart
    }
    return {
      node: parts[0] ?? node ?? 'missing',
      abi: parts[1] ?? '',
      platform: parts[2] ?? process.platform,
      arch: parts[3] ?? process.arch,
      libc: parts[4] ?? '',
      manager: managers.map((version) => version ?? 'missing').join(' '),
    };
  }
}
