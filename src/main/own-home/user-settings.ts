import { readFileSync, realpathSync } from 'node:fs';
import { devNull, homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { git } from '../git/git.ts';
import { configEntry } from '../slots/tree/slot-config.ts';
import { gitSettings, type NpmSettings, npmSettings, pipSettings, yarnSettings } from './settings.ts';

/** Where a person's own settings lie. */
export type UserHome = { home: string; config: string; cache: string; data: string };

export function userHome(env: NodeJS.ProcessEnv = process.env): UserHome {
  const home = env.HOME || homedir();
  return {
    home,
    config: env.XDG_CONFIG_HOME || join(home, '.config'),
    cache: env.XDG_CACHE_HOME || join(home, '.cache'),
    data: env.XDG_DATA_HOME || join(home, '.local', 'share'),
  };
}

/** What a gate gets of them, by the name of the file in its own home. */
export type UserSettings = { npm: NpmSettings; files: Record<string, string> };

const LARGEST = 1024 * 1024;

function text(...path: string[]): string {
  try {
    const bytes = readFileSync(join(...path));
    return bytes.length > LARGEST ? '' : bytes.toString('utf8');
  } catch {
    return ''; // there is none, or none that can be read
  }
}

/** npm's configuration of the whole machine lies beside the Node that runs it, which may be in the person's home. */
function globalNpmrc(path: string): string {
  for (const directory of path.split(delimiter)) {
    try {
      return text(dirname(dirname(realpathSync(join(directory, 'node')))), 'etc', 'npmrc');
    } catch {
      // no node there
    }
  }
  return '';
}

/** The person's settings for npm and pnpm as they are now; the later ones win. */
export function readNpm({ home, config }: UserHome): NpmSettings {
  const read = [globalNpmrc(process.env.PATH ?? ''), text(config, 'pnpm', 'rc'), text(home, '.npmrc')];
  const found = read.map((one) => npmSettings(one, home));
  return { places: found.flatMap(({ places }) => places), logins: found.flatMap(({ logins }) => logins) };
}

async function read(of: UserHome): Promise<UserSettings> {
  const list = await git(['config', '--global', '--includes', '--list', '--null'], {
    cwd: dirname(of.home),
    env: { HOME: of.home, XDG_CONFIG_HOME: of.config, GIT_CONFIG_SYSTEM: devNull },
    ok: [0, 1, 128],
  });
  const pip = [text(of.home, '.pip', 'pip.conf'), text(of.config, 'pip', 'pip.conf')].map(pipSettings);
  return {
    npm: readNpm(of),
    files: {
      '.yarnrc.yml': yarnSettings(text(of.home, '.yarnrc.yml')),
      '.config/pip/pip.conf': pip.join(''),
      '.gitconfig': gitSettings(list.stdout.split('\0').filter((entry) => entry !== ''))
        .map(([key, value]) => configEntry(key, value))
        .join(''),
    },
  };
}

const known = new Map<string, Promise<UserSettings>>();

/**
 * The person's settings as they were when this process first asked, which is before it runs any agent: what an agent writes into them
 * later, no gate of this process sees.
 */
export function userSettings(of: UserHome = userHome()): Promise<UserSettings> {
  const name = JSON.stringify(of);
  const settings = known.get(name) ?? read(of);
  known.set(name, settings);
  settings.catch(() => known.delete(name));
  return settings;
}
