import { delimiter, resolve, sep } from 'node:path';

/**
 * What a child process may see. Agents, setup and gate commands get an allow-list, never the whole environment:
 * ambient credentials, `GIT_*` variables and the app's own Node settings stay here.
 */

const ALLOWED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TERM',
  'COLORTERM',
  // Windows cannot start most programs without these.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'USERNAME',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'HOMEDRIVE',
  'HOMEPATH',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  // Where tools keep their own settings, caches and proxies.
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]);

const ALLOWED_PREFIXES = [
  'LC_',
  'npm_config_registry',
  'npm_config_cache',
  'COREPACK_',
  'PNPM_HOME',
  'NVM_',
  'VOLTA_',
];

const allowed = (name: string): boolean => {
  const upper = name.toUpperCase();
  return ALLOWED.has(upper) || ALLOWED_PREFIXES.some((prefix) => upper.startsWith(prefix.toUpperCase()));
};

/**
 * `npx` and npm scripts put the caller's own `node_modules/.bin` folders (and node-gyp's) in front of the PATH: with
 * them a repository's gate would run our Node and our tools instead of its own.
 */
function ownPath(path: string, installRoot: string): string {
  const bin = `${sep}node_modules${sep}.bin`;
  return path
    .split(delimiter)
    .filter((entry) => {
      const folder = resolve(entry);
      if (folder.endsWith('node-gyp-bin')) return false;
      const owner = folder.endsWith(bin) ? folder.slice(0, -bin.length) : undefined;
      return (
        owner === undefined || !`${installRoot}${sep}`.startsWith(owner === sep ? sep : `${owner}${sep}`)
      );
    })
    .join(delimiter);
}

export type Environment = Record<string, string>;

/** The allow-listed part of `source`, plus `extra` (which wins), plus further names that a person allowed by setting. */
export function childEnvironment(
  extra: Readonly<Environment> = {},
  options: { source?: NodeJS.ProcessEnv; also?: readonly string[]; installRoot?: string } = {},
): Environment {
  const source = options.source ?? process.env;
  const installRoot = options.installRoot ?? import.meta.dirname;
  const also = new Set(options.also ?? []);
  const result: Environment = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || !(allowed(name) || also.has(name))) continue;
    result[name] = name.toUpperCase() === 'PATH' ? ownPath(value, installRoot) : value;
  }
  return { ...result, ...extra };
}
