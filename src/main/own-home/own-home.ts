import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../processes/environment.ts';
import { TOOL_PLACES } from './tool-places.ts';
import { readNpm, type UserHome, userHome, userSettings } from './user-settings.ts';

/** Where a place of the person's home really is. */
function sourceOf(place: string, { home, cache, data }: UserHome): string {
  if (place.startsWith('.cache/')) return join(cache, place.slice('.cache/'.length));
  if (place.startsWith('.local/share/')) return join(data, place.slice('.local/share/'.length));
  return join(home, place);
}

/**
 * Makes a home for programs that must not do as the person's own settings say, because an agent could have written them: empty but for
 * registries, proxies, certificates and logins, a name for commits, and links to installed tools and stores of packages. Returns the environment that
 * leads there.
 */
export async function makeOwnHome(dir: string, of: UserHome = userHome()): Promise<Environment> {
  const { npm, files } = await userSettings(of);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const put = async (path: string, text: string): Promise<void> => {
    if (text === '') return;
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text, { mode: 0o600 });
  };
  // From where packages come is what it was; a login may have been renewed since.
  await put('.npmrc', [...npm.places, ...readNpm(of).logins].map((line) => `${line}\n`).join(''));
  for (const [path, text] of Object.entries(files)) await put(path, text);
  for (const place of TOOL_PLACES) {
    const source = sourceOf(place, of);
    if (!existsSync(source)) continue;
    await mkdir(dirname(join(dir, place)), { recursive: true });
    await symlink(source, join(dir, place));
  }
  return {
    HOME: dir,
    ...(process.platform === 'win32' ? { USERPROFILE: dir } : {}),
    XDG_CONFIG_HOME: join(dir, '.config'),
    XDG_CACHE_HOME: join(dir, '.cache'),
    XDG_DATA_HOME: join(dir, '.local', 'share'),
    XDG_STATE_HOME: join(dir, '.local', 'state'),
    // There is none: what the machine's own says of registries is in the file above.
    npm_config_globalconfig: join(dir, '.npmrc-of-the-machine'),
  };
}
