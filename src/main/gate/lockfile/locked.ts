import { z } from 'zod';

/** One package as a lockfile pins it. */
export type Locked = {
  /** What it is installed as. */
  name: string;
  /** Whose code it is, where a dependency says `npm:` and another name. */
  alias?: string;
  version: string;
  integrity?: string;
  /** Where its archive comes from; undefined: the registry, or not said. */
  resolved?: string;
  /** A directory or file of this machine. */
  local?: true;
};

/** What a lockfile of this name pins; undefined where it can't be read, or is of a kind that is not known. */
export function readLockfile(fileName: string, text: string): Locked[] | undefined {
  switch (fileName) {
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return readNpm(text);
    case 'pnpm-lock.yaml':
      return readPnpm(text);
    case 'yarn.lock':
      return text.includes('__metadata:') ? readBerry(text) : readYarn(text);
    case 'bun.lock':
      return readBun(text);
    default:
      return undefined;
  }
}

const entry = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
});
const npmLock = z.looseObject({
  packages: z.record(z.string(), entry).optional(),
  dependencies: z.record(z.string(), entry).optional(),
});

function readNpm(text: string): Locked[] | undefined {
  let parsed: z.infer<typeof npmLock>;
  try {
    parsed = npmLock.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
  const found: Locked[] = [];
  const add = (
    name: string,
    { version = '', resolved, integrity, link, ...more }: z.infer<typeof entry>,
  ): void => {
    // The first format writes an alias into the version.
    const inVersion = /^npm:(.+)@([^@]+)$/.exec(version);
    const alias = more.name ?? inVersion?.[1];
    found.push({
      name,
      version: inVersion?.[2] ?? version,
      ...(alias === undefined || alias === name ? {} : { alias }),
      ...(integrity === undefined ? {} : { integrity }),
      ...(resolved === undefined ? {} : { resolved }),
      ...(link === true || /^(file|link):/.test(resolved ?? version) ? { local: true as const } : {}),
    });
  };
  for (const [key, value] of Object.entries(parsed.packages ?? {})) {
    if (key.includes('node_modules/')) add(key.slice(key.lastIndexOf('node_modules/') + 13), value);
  }
  const walk = (dependencies: Record<string, unknown> | undefined): void => {
    for (const [name, value] of Object.entries(dependencies ?? {})) {
      const checked = entry.safeParse(value);
      if (!checked.success) continue;
      add(name, checked.data);
      walk(checked.data.dependencies);
    }
  };
  walk(parsed.dependencies);
  return found;
}

/** `@a/b@1.0.0(peer@2)` → name and version. */
function atVersion(text: string): { name: string; version: string } | undefined {
  const match = /^(@?[^@\s]+)@([^()]+)/.exec(text.replace(/^\//, ''));
  return match ? { name: match[1] ?? '', version: match[2] ?? '' } : undefined;
}

const unquoted = (text: string): string => text.trim().replace(/^(['"])(.*)\1$/, '$2');

/** YAML in which a line does not say what it seems to: escapes, anchors, aliases, complex keys. No lockfile is written so. */
const ODD_YAML = /\\[xuU]|^\s*\?\s|[:\-{[,]\s+[&*]\w|^\s*<<\s*:|^\s*!!/m;

/** The value of a package's `resolution`: on its own line, or on deeper ones below it. */
function resolutionOf(lines: readonly string[]): string {
  let taking = false;
  return lines
    .filter((line) => {
      if (/^ {4}\S/.test(line)) taking = /^ {4}(['"]?)resolution\1:/.test(line);
      return taking;
    })
    .join(' ');
}

function readPnpm(text: string): Locked[] | undefined {
  if (ODD_YAML.test(text)) return undefined;
  const found: Locked[] = [];
  const [, packages = ''] = text.split(/^packages:\s*$/m);
  const [mine = ''] = packages.split(/^(?=\S)/m);
  for (const block of mine.split(/\n(?= {2}\S)/)) {
    const [header = '', ...lines] = block.replace(/^\n+/, '').split('\n');
    if (header.trim() === '') continue;
    const [, key, flow = ''] = /^ {2}(\S.*?):\s*(\{.*\})?\s*$/.exec(header) ?? [];
    const named = key === undefined ? undefined : atVersion(unquoted(key));
    if (!named) return undefined;
    const resolution = flow === '' ? resolutionOf(lines) : flow;
    const part = (name: string): string | undefined =>
      new RegExp(`[\\s{,](['"]?)${name}\\1:\\s*['"]?([^'",}\\s]+)`).exec(resolution)?.[2];
    const resolved = part('tarball') ?? part('repo');
    const integrity = part('integrity');
    found.push({
      ...named,
      ...(integrity === undefined ? {} : { integrity }),
      ...(resolved === undefined ? {} : { resolved }),
      ...(part('directory') !== undefined || resolved?.startsWith('file:') ? { local: true as const } : {}),
    });
  }
  return found;
}

/** `foo@npm:bar@^1` is bar's code under foo's name. */
function descriptor(text: string): { name: string; alias?: string } {
  const match = /^(@?[^@]+)@(?:npm:(@?[^@]+)@)?/.exec(text);
  const [, name = text, alias] = match ?? [];
  return alias === undefined || alias === name ? { name } : { name, alias };
}

/** Blocks of yarn's own formats: a header without indentation, and its fields. */
function blocksOf(text: string): { header: string; field(name: string): string | undefined }[] {
  return text.split(/\n(?=\S)/).flatMap((block) => {
    const [header = '', ...lines] = block.split('\n');
    if (header.startsWith('#') || !header.trimEnd().endsWith(':')) return [];
    const field = (name: string): string | undefined => {
      const line = lines.find((each) => new RegExp(`^ {2}"?${name}"?(:| )`).test(each));
      return line === undefined ? undefined : unquoted(line.replace(/^ {2}\S+\s*/, ''));
    };
    return [{ header: header.trimEnd().slice(0, -1), field }];
  });
}

function readYarn(text: string): Locked[] | undefined {
  if (/\\[xuU]/.test(text)) return undefined;
  return blocksOf(text).map(({ header, field }) => {
    const [first = ''] = header.split(',');
    const resolved = field('resolved');
    const integrity = field('integrity') ?? /#([0-9a-f]{40})$/.exec(resolved ?? '')?.[1];
    return {
      ...descriptor(unquoted(first)),
      version: field('version') ?? '',
      ...(integrity === undefined ? {} : { integrity }),
      ...(resolved === undefined ? {} : { resolved }),
      ...(/^(file|link):/.test(resolved ?? '') ? { local: true as const } : {}),
    };
  });
}

function readBerry(text: string): Locked[] | undefined {
  if (ODD_YAML.test(text)) return undefined;
  return blocksOf(text).flatMap(({ header, field }) => {
    if (header === '__metadata') return [];
    const [first = ''] = unquoted(header).split(',');
    const resolution = field('resolution') ?? '';
    const named = descriptor(first);
    const real = /^(@?[^@]+)@(.*)$/.exec(resolution);
    const from = real?.[2] ?? '';
    const integrity = field('checksum');
    return {
      name: named.name,
      ...(real?.[1] !== undefined && real[1] !== named.name ? { alias: real[1] } : {}),
      version: field('version') ?? '',
      ...(integrity === undefined ? {} : { integrity }),
      ...(from.startsWith('npm:') || from.startsWith('workspace:') || from.startsWith('patch:')
        ? {}
        : { resolved: from }),
      ...(/^(file|link|portal|exec):/.test(from) ? { local: true as const } : {}),
    };
  });
}

function readBun(text: string): Locked[] | undefined {
  if (/\\[xuU]/.test(text)) return undefined;
  const found: Locked[] = [];
  for (const line of text.split('\n')) {
    const [, key = '', pinned, rest = ''] = /^\s*"([^"]+)":\s*\["([^"]+)"(.*)\],?$/.exec(line) ?? [];
    if (pinned === undefined) continue;
    const named = atVersion(pinned);
    if (!named) return undefined;
    const installed = /((?:@[^/]+\/)?[^/]+)$/.exec(key)?.[1] ?? key;
    const url = /^,\s*"([^"]*)"/.exec(rest)?.[1];
    const integrity = /"(sha\d+-[^"]+)"$/.exec(rest.trim())?.[1];
    found.push({
      name: installed,
      version: named.version,
      ...(named.name === installed ? {} : { alias: named.name }),
      ...(integrity === undefined ? {} : { integrity }),
      ...(url?.includes('://')
        ? { resolved: url }
        : /:\/\//.test(named.version)
          ? { resolved: named.version }
          : {}),
      ...(/^(file|link):/.test(named.version) ? { local: true as const } : {}),
    });
  }
  return found;
}
