import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { childEnvironment } from './environment.ts';

/** Starts the user's editor and lets it go. `command` holds `{path}` as a word of its own; no shell reads it. */
export async function openInEditor(command: string, path: string): Promise<void> {
  const [file, ...args] = command.split(/\s+/).filter((word) => word !== '');
  if (!file)
    throw new HeadwayError('bad-input', 'No editor is set; name one in Settings, e.g. `code {path}`.');
  const words = args.map((word) => word.replaceAll('{path}', path));
  if (!command.includes('{path}')) words.push(path);
  const child = spawn(file, words, {
    detached: true,
    stdio: 'ignore',
    env: childEnvironment(
      {},
      { also: ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS'] },
    ),
  });
  try {
    await once(child, 'spawn');
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'is not on the PATH' : `could not start: ${toError(thrown).message}`;
    throw new HeadwayError('unavailable', `The editor ${file} ${why}; name another in Settings.`);
  }
  child.unref();
}
