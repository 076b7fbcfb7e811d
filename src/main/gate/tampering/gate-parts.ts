import { posix } from 'node:path';
import { git } from '../../git/git.ts';
import { readBlobs } from '../../git/read-blobs.ts';
import { invocationsOf, isFixture, packagesOf } from '../audit/invocations.ts';
import { commandFiles } from '../commands/command-files.ts';
import { loadedFile } from '../commands/loaded-file.ts';
import { readCommitText } from '../policy/commit-files.ts';
import type { ResolvedPolicy } from '../policy/policy.ts';
import { isGateConfig } from './gate-files.ts';
import { gateModules } from './gate-modules.ts';
import { gatePrograms, toolSettings } from './tampering.ts';

/** Keys of configurations under which stand files that run before, around or in place of tests. */
const LOADS =
  /['"]?\b(setupFiles(?:AfterEnv)?|setup|globalSetup|globalTeardown|require|file|import|loader|preload|reporters?|testRunner|runner|testEnvironment|environment|preset|resolver|transform|testSequencer|testResultsProcessor|snapshotSerializers|snapshotEnvironment|plugins|rulesDirectory|extends|provider)\b['"]?\s*[:=]\s*(\[[^\]]*\]|\{[^}]*\}|['"`][^'"`\n]+['"`])/g;
/** YAML lists below such a key, as in `.mocharc.yml`. */
const YAML_LOADS =
  /^[ \t]*(?:(?:require|file|import|loader|extends|reporter):[ \t]+|-[ \t]+)['"]?([^'"\s#]+)/gm;

/** Pure: the files of the tree that a configuration names as loaded, as far as its text shows them. */
export function loadedBy(path: string, text: string, has: (path: string) => boolean): string[] {
  const words = [...text.matchAll(LOADS)].flatMap(([, , value = '']) =>
    [...value.matchAll(/['"`]([^'"`\n]+)['"`]/g)].map(([, word = '']) => word),
  );
  if (/\.ya?ml$|rc$/.test(path)) words.push(...[...text.matchAll(YAML_LOADS)].map(([, word = '']) => word));
  const dir = posix.dirname(path);
  return words.flatMap((word) => {
    const clean = word.replace(/^<rootDir>\//, './').replace(/^\$\{[^}]*\}\//, './');
    if (clean.startsWith('/') || clean.includes('*')) return [];
    return loadedFile(posix.join(dir, clean), has) ?? [];
  });
}

export type GateParts = {
  /** Every file of the commit, with its git object. */
  files: ReadonlyMap<string, string>;
  /** What the gate's programs and configurations load, themselves with it. */
  modules: ReadonlySet<string>;
  /** Of these what a configuration or an option of a command names itself. */
  named: ReadonlySet<string>;
};

/** The files that a commit's gate is made of, beside its configurations and programs; read from git at `cwd`. */
export async function gateParts(options: {
  cwd: string;
  commit: string;
  /** As resolved at `commit`. */
  policy: Pick<ResolvedPolicy, 'gate' | 'setup' | 'protect' | 'scripts'>;
}): Promise<GateParts> {
  const { cwd, commit, policy } = options;
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', commit], { cwd });
  const files = new Map<string, string>();
  for (const entry of stdout.split('\0')) {
    const [, blob = '', path] = /^\d+ \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (path !== undefined) files.set(path, blob);
  }
  const configs = [...files.keys()].filter(
    (path) => (isGateConfig(path) && !/(^|\/)node_modules\//.test(path)) || path === 'package.json',
  );
  const manifests = [...files.keys()].filter(
    (path) => /(^|\/)(package\.json|Makefile)$/.test(path) && !isFixture(path),
  );
  const texts = await readBlobs(
    cwd,
    [...configs, ...manifests].map((path) => files.get(path) ?? ''),
  );
  const tree = {
    files: [...files.keys()],
    has: (path: string) => files.has(path),
    read: (path: string) => texts.get(files.get(path) ?? ''),
  };
  const started = commandFiles(invocationsOf(policy.gate, tree, packagesOf(tree)), tree.has);
  const named = started.options;
  for (const path of configs) {
    const text = texts.get(files.get(path) ?? '') ?? '';
    // What else package.json names is what it exports.
    const setting = path === 'package.json' ? JSON.stringify(toolSettings(text)) : text;
    for (const each of loadedBy(path, setting, (at) => files.has(at))) named.add(each);
  }
  const read = async (path: string): Promise<string | undefined> => {
    const blob = files.get(path);
    return blob === undefined ? undefined : (texts.get(blob) ?? (await readCommitText(cwd, commit, path)));
  };
  return {
    files,
    named,
    modules: await gateModules([...gatePrograms(policy), ...started.programs, ...configs, ...named], read),
  };
}
