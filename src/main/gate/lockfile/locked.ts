import { isAlias, isCollection, isScalar, parseAllDocuments, visit } from 'yaml';
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

/**
 * The documents of a lockfile in YAML, each scalar as it is written; undefined where it can't be read or has anchors, aliases, tags or merged keys: no package manager
 * writes these, and readers differ about them.
 */
function yamlDocuments(text: string): unknown[] | undefined {
  const documents = parseAllDocuments(text, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
  if (!Array.isArray(documents)) return [];
  let isOdd = documents.some(({ errors }) => errors.length > 0);
  for (const document of documents) {
    visit(document, (key, node) => {
      if (isAlias(node) || (key === 'key' && (!isScalar(node) || node.value === '<<'))) isOdd = true;
      if ((isScalar(node) || isCollection(node)) && (node.anchor !== undefined || node.tag !== undefined))
        isOdd = true;
    });
  }
  return isOdd ? undefined : documents.map((document) => document.toJS() as unknown);
}

const pnpmPackage = z.looseObject({
  resolution: z.looseObject({
    integrity: z.string().optional(),
    tarball: z.string().optional(),
    repo: z.string().optional(),
    directory: z.string().optional(),
  }),
});
/** An empty value is an empty string where scalars are as they are written. */
const pnpmLock = z.looseObject({
  packages: z.record(z.string(), pnpmPackage).or(z.literal('')).optional(),
});

function readPnpm(text: string): Locked[] | undefined {
  const found: Locked[] = [];
  for (const document of yamlDocuments(text) ?? [undefined]) {
    const checked = pnpmLock.safeParse(document);
    if (!checked.success) return undefined;
    for (const [key, { resolution }] of Object.entries(checked.data.packages || {})) {
      const named = atVersion(key);
      if (!named) return undefined;
      const { integrity, tarball, repo, directory } = resolution;
      const resolved = tarball ?? repo;
      found.push({
        ...named,
        ...(integrity === undefined ? {} : { integrity }),
        ...(resolved === undefined ? {} : { resolved }),
        ...(directory !== undefined || resolved?.startsWith('file:') ? { local: true as const } : {}),
      });
    }
  }
  return found;
}

/** `foo@npm:bar@^1` is bar's code under foo's name. */
function descriptor(text: string): { name: string; alias?: string } {
  const match = /^(@?[^@]+)@(?:npm:(@?[^@]+)@)?/.exec(text);
  const [, name = text, alias] = match ?? [];
  return alias === undefined || alias === name ? { name } : { name, alias };
}

/** Blocks of yarn's own format: a header without indentation, and its fields. */
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

const berryLock = z.record(
  z.string(),
  z.looseObject({
    version: z.string().optional(),
    resolution: z.string().optional(),
    checksum: z.string().optional(),
  }),
);

function readBerry(text: string): Locked[] | undefined {
  const documents = yamlDocuments(text);
  const checked = berryLock.safeParse(documents?.[0]);
  if (documents?.length !== 1 || !checked.success) return undefined;
  const { __metadata: _metadata, ...pinned } = checked.data;
  return Object.entries(pinned).map(([header, { version = '', resolution = '', checksum }]) => {
    const [first = ''] = header.split(',');
    const named = descriptor(first);
    const real = /^(@?[^@]+)@(.*)$/.exec(resolution);
    const from = real?.[2] ?? '';
    return {
      name: named.name,
      ...(real?.[1] !== undefined && real[1] !== named.name ? { alias: real[1] } : {}),
      version,
      ...(checksum === undefined ? {} : { integrity: checksum }),
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
