import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HeadwayError } from '../../../shared/errors.ts';
import { openStoredEngine } from '../../engine/engine.ts';
import { startWebHost } from '../web/start-web-host.ts';
import { EXIT } from './exit-codes.ts';
import { type Output, problemLines } from './output.ts';

export type ServeOptions = { host: string; port: number; open?: boolean };

/** The built interface: beside the built command line. */
function rendererDir(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'out', 'renderer');
    if (existsSync(join(candidate, 'index.html'))) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new HeadwayError('unavailable', 'The interface is not built; run `npm run build`.');
}

function openBrowser(url: string): void {
  const [file, args] =
    process.platform === 'darwin'
      ? (['open', [url]] as const)
      : process.platform === 'win32'
        ? (['explorer', [url]] as const)
        : (['xdg-open', [url]] as const);
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return;
  process
    .getBuiltinModule('node:child_process')
    .spawn(file, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined) // no browser: the address is printed
    .unref();
}

/** `headway serve`: the engine with the window in a browser, until it is told to stop. */
export async function serveCommand(
  options: ServeOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const problems = problemLines();
  const engine = await openStoredEngine({
    onProblem: (error) => problems.say(error.message),
  });
  try {
    const web = await startWebHost({
      api: engine.api,
      rendererDir: rendererDir(),
      host: options.host,
      port: options.port,
    });
    try {
      output.data({ type: 'serving', url: web.urlWithToken, port: web.port, home: engine.home.root });
      output.say(`Headway is at ${web.urlWithToken}`);
      if (options.open) openBrowser(web.urlWithToken);
      await engine.recover();
      if (!signal.aborted) {
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      }
    } finally {
      await web.close();
    }
  } finally {
    await engine.stop();
  }
  return EXIT.ok;
}
