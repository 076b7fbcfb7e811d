import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HeadwayError } from '../../../shared/errors.ts';
import { openStoredEngine } from '../../engine/engine.ts';
import { startWebHost } from '../web/start-web-host.ts';
import { createTokens } from '../web/tokens.ts';
import { EXIT } from './exit-codes.ts';
import { type Output, problemLines } from './output.ts';

export type ServeOptions = { host: string; port: number; open?: boolean; newToken?: boolean };

/** The built interface: beside the built command line. */
function rendererDir(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'out', 'renderer');
    if (existsSync(join(candidate, 'index.html'))) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new HeadwayError('unavailable', 'The interface is not built; run `npm run build`.');
}

/**
 * Everybody on the machine can read the arguments of a program. So the browser is given a file that only this user may read, and the
 * file holds the address with its token.
 */
function openBrowser(url: string, file: string): void {
  rmSync(file, { force: true });
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Open Headway</a>\n`;
  writeFileSync(file, page, { mode: 0o600 });
  startBrowser(pathToFileURL(file).href);
}

function startBrowser(url: string): void {
  const [file, args] =
    process.platform === 'darwin'
      ? (['open', [url]] as const)
      : process.platform === 'win32'
        ? (['explorer', [url]] as const)
        : (['xdg-open', [url]] as const);
  process
    .getBuiltinModule('node:child_process')
    .spawn(file, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined) // no browser: the address is printed
    .unref();
}

/** Without one there is no browser to be opened: the address is printed. */
const hasDisplay = (): boolean =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** `headway serve`: the engine with the window in a browser, until it is told to stop. */
export async function serveCommand(
  options: ServeOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const problems = problemLines();
  let openFile: string | undefined;
  const engine = await openStoredEngine({
    onProblem: (error) => problems.say(error.message),
  });
  try {
    const web = await startWebHost({
      api: engine.api,
      rendererDir: rendererDir(),
      host: options.host,
      port: options.port,
      tokens: await createTokens(
        engine.parts.store.shared('web tokens'),
        Date.now(),
        options.newToken === true,
      ),
    });
    try {
      output.data({ type: 'serving', url: web.urlWithToken, port: web.port, home: engine.home.root });
      output.say(`Headway is at ${web.urlWithToken}`);
      if (options.open && hasDisplay()) {
        openFile = join(engine.home.root, `open-${web.port}.html`);
        openBrowser(web.urlWithToken, openFile);
      }
      await engine.recover();
      if (!signal.aborted) {
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      }
    } finally {
      if (openFile !== undefined) rmSync(openFile, { force: true });
      await web.close();
    }
  } finally {
    await engine.stop();
  }
  return EXIT.ok;
}
