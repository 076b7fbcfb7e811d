import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Environment } from './environment.ts';

/** Absolute path of a program on the `PATH` of `env`; undefined where there is none. */
export async function findProgram(
  name: string,
  env: Environment | NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const windows = process.platform === 'win32';
  const path = Object.entries(env).find(([key]) => key.toUpperCase() === 'PATH')?.[1] ?? '';
  const endings = windows ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
  for (const directory of path.split(delimiter)) {
    if (directory === '') continue;
    for (const ending of endings) {
      const file = join(directory, name + ending.toLowerCase());
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** How `file` is started: a script of cmd.exe needs a shell around it. `args` must be free of shell syntax. */
export function programCommand(
  file: string,
  args: readonly string[],
): { file: string; args: readonly string[] } | { shell: string } {
  return /\.(cmd|bat)$/i.test(file) ? { shell: `"${file}" ${args.join(' ')}` } : { file, args };
}
