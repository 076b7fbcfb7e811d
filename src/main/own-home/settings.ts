import { parse, stringify } from 'yaml';

/*
 * What of a person's own settings an install needs: from where packages come, through which proxy, with which certificates, under which name.
 * Everything else a program may run by, or behave by (`script-shell`, `node-options`, `ignore-scripts`, an alias, a hook), stays behind: an agent
 * can write to these files, and a gate must not do as they say. Pure.
 */

/** From where things come is asked once; by which name one is let in there may change any hour. */
export type NpmSettings = { places: string[]; logins: string[] };

const NPM_PLACE =
  /^((@[^\s:/=]+:)?registry|(https?-)?proxy|no-?proxy|ca|ca\[\]|cafile|cert|key|strict-ssl|maxsockets|fetch-(retries|retry-(factor|mintimeout|maxtimeout)|timeout)|replace-registry-host|omit-lockfile-registry-resolved|legacy-peer-deps|prefer-offline|offline|fund|audit|update-notifier)$/;
const NPM_LOGIN =
  /^(\/\/[^\s=]+:(_authToken|_auth|username|_password|email|always-auth|certfile|keyfile|cafile)|_auth|_authToken|always-auth|email)$/;

type Row = { section: string | undefined; key: string; line: string };

/** Lines `key = value` of an ini file, as npm and pip read it. */
function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  let section: string | undefined;
  for (const line of text.split(/[\r\n]+/)) {
    const found = line.trim();
    const head = /^\[([^\]]*)\]$/.exec(found);
    if (head) section = head[1];
    const cut = found.indexOf('=');
    if (cut > 0 && !/^[;#]/.test(found)) rows.push({ section, key: found.slice(0, cut).trim(), line: found });
  }
  return rows;
}

/** Of an `.npmrc`; pnpm's `rc` is written the same way. `~` means the person's home, not the gate's. */
export function npmSettings(text: string, home: string): NpmSettings {
  const rows = rowsOf(text).filter(({ section }) => section === undefined);
  const lines = (allowed: RegExp): string[] =>
    rows.filter(({ key }) => allowed.test(key)).map(({ line }) => line.replace(/(=\s*)~(?=\/)/, `$1${home}`));
  return { places: lines(NPM_PLACE), logins: lines(NPM_LOGIN) };
}

const PIP = /^(index-url|extra-index-url|trusted-host|cert|client-cert|proxy|timeout|retries)$/;

/** Of a `pip.conf`. */
export function pipSettings(text: string): string {
  const rows = rowsOf(text).filter(
    ({ section, key }) => (section === 'global' || section === 'install') && PIP.test(key),
  );
  const part = (name: string): string[] => {
    const lines = rows.filter(({ section }) => section === name).map(({ line }) => line);
    return lines.length === 0 ? [] : [`[${name}]`, ...lines];
  };
  return [...part('global'), ...part('install')].map((line) => `${line}\n`).join('');
}

const YARN =
  /^(npmRegistryServer|npmAuthToken|npmAuthIdent|npmAlwaysAuth|httpProxy|httpsProxy|httpsCaFilePath|httpsCertFilePath|httpsKeyFilePath|caFilePath|enableStrictSsl|httpTimeout|httpRetry)$/;
/** Maps by scope, registry or host, whose entries hold the same keys. */
const YARN_MAPS = /^(npmScopes|npmRegistries|networkSettings)$/;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const only = (map: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(map).filter(
      ([key, value]) => YARN.test(key) && ['string', 'number', 'boolean'].includes(typeof value),
    ),
  );

/** Of a `.yarnrc.yml`; empty where it can't be read. */
export function yarnSettings(text: string): string {
  let read: unknown;
  try {
    read = parse(text);
  } catch {
    return ''; // yarn would refuse it as well
  }
  if (!isMap(read)) return '';
  const kept = only(read);
  for (const [key, value] of Object.entries(read)) {
    if (!YARN_MAPS.test(key) || !isMap(value)) continue;
    kept[key] = Object.fromEntries(
      Object.entries(value).flatMap(([name, entry]) => (isMap(entry) ? [[name, only(entry)]] : [])),
    );
  }
  return Object.keys(kept).length === 0 ? '' : stringify(kept);
}

const GIT =
  /^(user\.(name|email)|init\.defaultbranch|core\.(autocrlf|eol|longpaths)|safe\.directory|https?\.(.*\.)?(proxy|proxyauthmethod|sslcainfo|sslcapath|sslverify)|url\..*\.(insteadof|pushinsteadof)|credential\.(.*\.)?(username|usehttppath))$/;
/** Those that git brings or that everybody knows; any other is a program of somebody's choice. */
const GIT_HELPER =
  /^(|store|cache|osxkeychain|manager|manager-core|wincred|libsecret|oauth|!(\/usr(\/local)?\/bin\/)?gh auth git-credential)$/;

/** Of what `git config --list --null` says: what an install of packages from git needs, and who commits. */
export function gitSettings(list: readonly string[]): (readonly [key: string, value: string])[] {
  return list.flatMap((entry) => {
    const cut = entry.indexOf('\n');
    const [key, value] = cut < 0 ? [entry, 'true'] : [entry.slice(0, cut), entry.slice(cut + 1)];
    const helper = /^credential\.(.*\.)?helper$/.test(key) && GIT_HELPER.test(value);
    return helper || GIT.test(key) ? [[key, value] as const] : [];
  });
}
