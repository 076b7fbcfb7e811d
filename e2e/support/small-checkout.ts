import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..', '..');
const OWN_FILES = ['bin', 'scripts', 'package.json', 'package-lock.json', 'electron.vite.config.ts'];
const SOURCES = {
  'src/shared/word.ts': "export const word = 'first';\n",
  'src/main/hosts/electron/index.ts': "import { app } from 'electron';\napp.quit();\n",
  'src/main/hosts/cli/main.ts':
    "import { word } from '../../../shared/word.ts';\nconsole.log(word, ...process.argv.slice(2));\n",
  'src/preload/index.ts': "import { ipcRenderer } from 'electron';\nvoid ipcRenderer;\n",
  'src/renderer/index.html': '<!doctype html><title>small</title>\n',
};

export type Run = { code: number | null; stdout: string; stderr: string };

/** A checkout with the project's own scripts around a program of a few lines. */
export interface SmallCheckout extends AsyncDisposable {
  write(path: string, content: string): Promise<void>;
  run(script: string, args?: string[], env?: NodeJS.ProcessEnv): Promise<Run>;
  /** Leaves it running: for a talk over standard input and output. */
  start(script: string): {
    printed(text: string): Promise<void>;
    type(text: string): void;
    exit: Promise<number | null>;
  };
}

export async function makeSmallCheckout(): Promise<SmallCheckout> {
  const directory = await mkdtemp(join(tmpdir(), 'headway-checkout-'));
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  };
  for (const name of OWN_FILES) await cp(join(root, name), join(directory, name), { recursive: true });
  for (const [path, content] of Object.entries(SOURCES)) await write(path, content);
  // Packages are shared, caches and locks are not.
  await mkdir(join(directory, 'node_modules'));
  const packages = await readdir(join(root, 'node_modules'));
  for (const name of packages.filter((name) => !name.startsWith('.'))) {
    await symlink(join(root, 'node_modules', name), join(directory, 'node_modules', name), 'junction');
  }
  return {
    write,
    async run(script, args = [], env = {}) {
      const child = spawn(process.execPath, [join(directory, script), ...args], {
        cwd: tmpdir(),
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const code = new Promise<number | null>((resolve) => child.on('close', resolve));
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await code, stdout, stderr };
    },
    start(script) {
      const child = spawn(process.execPath, [join(directory, script)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        async printed(wanted) {
          for (let line = await lines.next(); line.value !== wanted; line = await lines.next()) {
            if (line.done) throw new Error(`it ended without printing ${wanted}`);
          }
        },
        type: (typed) => void child.stdin.write(typed),
        exit: new Promise((resolve) => child.on('close', resolve)),
      };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}
