import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { packagedFolder } from './sample-files.ts';

const COMPILER_FILES = ['LICENSE.txt', 'ThirdPartyNoticeText.txt', 'lib/_tsc.js', 'lib/tsc.js'];
const FIRST_LIBRARY = 'es2022';
const BIN = "#!/usr/bin/env node\nrequire('../lib/tsc.js');\n";

/**
 * Copies as much of Headway's own TypeScript into `target` as its compiler needs for ES2022 without a DOM, as a package that npm
 * can link. Returns its version. Throws `unavailable` where TypeScript is not installed.
 */
export async function vendorTypescript(target: string): Promise<string> {
  try {
    const source = compilerFolder();
    const manifest = join(source, 'package.json');
    const { version, license, engines } = JSON.parse(await readFile(manifest, 'utf8'));
    await mkdir(join(target, 'lib'), { recursive: true });
    await mkdir(join(target, 'bin'), { recursive: true });
    const libraries = await libraryFiles(join(source, 'lib'));
    for (const file of [...COMPILER_FILES, ...libraries.map((name) => `lib/${name}`)]) {
      await copyFile(join(source, file), join(target, file));
    }
    // npm makes a linked program executable; being so from the start, it does not show up as a change.
    await writeFile(join(target, 'bin', 'tsc'), BIN, { mode: 0o755 });
    const own = { name: 'typescript', version, license, bin: { tsc: 'bin/tsc' }, engines };
    await writeFile(join(target, 'package.json'), `${JSON.stringify(own, undefined, 2)}\n`);
    return String(version);
  } catch (thrown) {
    throw new HeadwayError(
      'unavailable',
      `the sample needs Headway's own TypeScript, which can't be read: ${toError(thrown).message}; install Headway again`,
      { cause: thrown },
    );
  }
}

function compilerFolder(): string {
  // Packagers leave declaration files out of an application's archive, so there the compiler lies beside it.
  const packaged = packagedFolder('typescript').find((path) => existsSync(join(path, 'package.json')));
  return packaged ?? dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
}

/** The library file for ES2022 and all that it refers to. */
async function libraryFiles(folder: string): Promise<string[]> {
  const names = [FIRST_LIBRARY];
  // Grows while it is walked: each file may name further ones.
  for (const name of names) {
    const text = await readFile(join(folder, `lib.${name}.d.ts`), 'utf8');
    for (const [, reference] of text.matchAll(/<reference lib="([\w.]+)"/g)) {
      if (reference !== undefined && !names.includes(reference)) names.push(reference);
    }
  }
  return names.map((name) => `lib.${name}.d.ts`);
}
