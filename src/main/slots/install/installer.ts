import { Limiter } from '../../limits/limiter.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { SlotPlan } from '../pool/slot-plan.ts';
import { restoreProducts } from '../tree/products.ts';
import { dependencyKey } from './dependency-key.ts';
import { type DependencyTree, dependencyInputs, directoryOf, isSetting, textOf } from './dependency-tree.ts';
import { installFingerprint } from './fingerprint.ts';
import { namedVariables } from './install-failure.ts';
import { clearInstalled, dropModules, readInstalled } from './installed.ts';
import { lostDependencies } from './lost-dependencies.ts';
import { detectInstalls, type Install } from './managers.ts';
import {
  type InstallNeed,
  type InstallOutcome,
  type InstallRequest,
  type InstallTarget,
  runInstall,
} from './run-install.ts';
import { Toolchains } from './toolchain.ts';

export type { InstallOutcome, InstallRequest } from './run-install.ts';

export interface Installer {
  /** Key of what the commit needs; undefined: nothing. `cwd`: where version managers look for their pins. */
  keyOf(mirror: Mirror, commit: string, plan: SlotPlan, cwd: string): Promise<string | undefined>;
  /**
   * Brings dependencies in line with the checked-out commit. `record` is told the installed key: undefined before an
   * install begins, the key once it ended well. Throws `cancelled` on the signal.
   */
  install(
    target: InstallTarget,
    request: InstallRequest,
    record: (installedKey: string | undefined) => Promise<void>,
  ): Promise<InstallOutcome>;
}

const TREES_KEPT = 64;

type Need = { kind: 'none' } | ({ kind: 'install' } & InstallNeed);

export function createInstaller(options: {
  maxInstalls: () => number;
  /** Takes secrets out of what managers print, before it is cut to a reason. */
  redact: (text: string) => string;
}): Installer {
  const limiter = new Limiter(options.maxInstalls);
  const toolchains = new Toolchains();
  const trees = new Map<string, Promise<DependencyTree>>();

  /** Commits never change, so what was read of one is kept for the next job on it. */
  const treeOf = (mirror: Mirror, commit: string): Promise<DependencyTree> => {
    const name = `${mirror.path} ${commit}`;
    let tree = trees.get(name);
    if (!tree) {
      tree = readTree(mirror, commit);
      trees.set(name, tree);
      tree.catch(() => trees.delete(name));
      const oldest = trees.keys().next().value;
      if (trees.size > TREES_KEPT && oldest !== undefined) trees.delete(oldest);
    }
    return tree;
  };

  const needOf = async (mirror: Mirror, commit: string, plan: SlotPlan, cwd: string): Promise<Need> => {
    const tree = await treeOf(mirror, commit);
    const installs = detectInstalls(tree);
    if (plan.setup === undefined && installs.length === 0) return { kind: 'none' };
    const programs = new Set(plan.setup === undefined ? installs.map(({ program }) => program) : []);
    const toolchain = await toolchains.look(programs, plan.env, cwd, pinsOf(tree, installs));
    return {
      kind: 'install',
      key: dependencyKey(tree, installs, toolchain, plan.setup),
      installs,
      setup: plan.setup,
      packages: [...tree.contents.keys()].filter((path) => path.endsWith('package.json')).map(directoryOf),
      variables: variablesOf(tree),
    };
  };

  const lost = async ({ place, mirror, commit }: InstallTarget): Promise<{ notes?: string[] }> => {
    const notes = lostDependencies(place.path, await treeOf(mirror, commit));
    return notes.length > 0 ? { notes } : {};
  };

  return {
    async keyOf(mirror, commit, plan, cwd) {
      const need = await needOf(mirror, commit, plan, cwd);
      return need.kind === 'none' ? undefined : need.key;
    },

    async install(target, request, record) {
      const { place, plan, installedKey } = target;
      const need = await needOf(target.mirror, target.commit, plan, place.path);
      if (need.kind === 'none') {
        if (installedKey !== undefined) {
          await record(undefined);
          await dropModules(place, await readInstalled(place));
        }
        return { kind: 'none' };
      }
      const installed = await readInstalled(place);
      const intact =
        installed !== undefined &&
        installedKey !== undefined &&
        installed.fingerprint === (await installFingerprint(place.path, installed.packages));
      if (intact && installedKey === need.key && installed.key === need.key) {
        await restoreProducts(place, installed.products);
        return { kind: 'unchanged', key: need.key, ...(await lost(target)) };
      }
      return limiter.run(
        async () => {
          // From here on nothing vouches for what is there: a crash in the middle means another install.
          await record(undefined);
          await clearInstalled(place);
          // What a manager can't know about is not built upon.
          if (!intact) await dropModules(place, installed ?? { packages: need.packages });
          const outcome = await runInstall(target, need, request, options.redact);
          if (outcome.kind !== 'installed') return outcome;
          await record(need.key);
          return { ...outcome, ...(await lost(target)) };
        },
        { signal: request.signal, priority: request.priority ?? 'job', onWait: request.onWait },
      );
    },
  };
}

async function readTree(mirror: Mirror, commit: string): Promise<DependencyTree> {
  const files = await mirror.files(commit);
  const ids = new Map(files.map((file) => [file.path, file.objectId]));
  // A link or a submodule of that name holds no text of its own.
  const plain = new Set(files.filter((file) => file.mode.startsWith('100')).map((file) => file.path));
  const wanted = dependencyInputs(plain);
  const objects = await mirror.readObjects([...new Set(wanted.map((path) => ids.get(path) ?? ''))]);
  const contents = new Map<string, Uint8Array>();
  for (const path of wanted) {
    const bytes = objects.get(ids.get(path) ?? '');
    if (bytes) contents.set(path, bytes);
  }
  return { ids, contents };
}

/** Variables that the managers' settings name. */
const variablesOf = (tree: DependencyTree): string[] =>
  namedVariables(
    [...tree.contents.keys()]
      .filter((path) => /(^|\/)\.(npmrc|yarnrc(\.yml)?)$/.test(path))
      .map((path) => textOf(tree, path))
      .join('\n'),
  );

/** What a version manager's shim may read in the directory. */
function pinsOf(tree: DependencyTree, installs: readonly Install[]): string {
  const settings = [...tree.contents.keys()].filter(isSetting).map((path) => textOf(tree, path) ?? '');
  return JSON.stringify([settings, ...installs.map(({ pinned }) => pinned ?? {})]);
}
