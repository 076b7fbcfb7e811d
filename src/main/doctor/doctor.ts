import { realpath } from 'node:fs/promises';
import type { DoctorReport, Finding } from '../../shared/doctor.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import { makeDirectory } from '../processes/make-directory.ts';
import { unknown } from './answer.ts';
import { type Exec, systemExec } from './exec.ts';
import type { Facts } from './facts.ts';
import type { Judge, Judged } from './finding.ts';
import { judgeCase, judgeReflinks, judgeStore } from './judge-files.ts';
import { judgeInstances, judgeWatches } from './judge-linux.ts';
import { judgeSpotlight, judgeTimeMachine } from './judge-macos.ts';
import { judgeExecutable, judgeInodes, judgeSpace, judgeVolume } from './judge-volume.ts';
import { judgeDefender, judgeDevDrive, judgeExclusion, judgeLongPaths } from './judge-windows.ts';
import { collectLinux } from './linux.ts';
import { collectMacos } from './macos.ts';
import { readSpace, tryPlace } from './probe-place.ts';
import { repositoryFacts } from './repository-facts.ts';
import { fixText, isStartable, ownPowers, type Powers, startFix } from './start-fix.ts';
import { findStores } from './stores.ts';
import { collectWindows } from './windows.ts';

const JUDGES: readonly Judge[] = [
  judgeVolume,
  judgeSpace,
  judgeInodes,
  judgeExecutable,
  judgeDevDrive,
  judgeDefender,
  judgeExclusion,
  judgeLongPaths,
  judgeStore,
  judgeReflinks,
  judgeCase,
  judgeWatches,
  judgeInstances,
  judgeSpotlight,
  judgeTimeMachine,
];

export type DoctorOptions = {
  /** The directory that holds the slots; made if it is missing. */
  root: string;
  /** A repository to look at as well: its manager, its longest path, names that differ in case. */
  repository?: { path: string; name: string };
  /** Id of a finding whose fix is to be started. */
  fix?: string;
  exec?: Exec;
  powers?: Powers;
  now?: () => number;
};

/** Pure: the findings over the facts, in the order in which they matter. */
export function judge(facts: Facts): Judged[] {
  return JUDGES.flatMap((each) => each(facts) ?? []);
}

/** Examines the place of the slots. Writes nothing that stays, save by a fix that was asked for. Throws `bad-input` for an unknown fix. */
export async function examineSlotRoot(options: DoctorOptions): Promise<DoctorReport> {
  const exec = options.exec ?? systemExec;
  const powers = options.powers ?? ownPowers();
  const root = await ownRoot(options.root);
  let judged = judge(await collect(root, options, exec));
  let fixed: DoctorReport['fixed'];
  if (options.fix !== undefined) {
    fixed = { id: options.fix, ...(await fixOne(options.fix, judged, powers, exec)) };
    if (fixed.done) judged = judge(await collect(root, options, exec));
  }
  return {
    root,
    platform: process.platform,
    at: (options.now ?? Date.now)(),
    findings: judged.map((each) => publish(each, powers)),
    ...(fixed ? { fixed } : {}),
  };
}

async function ownRoot(root: string): Promise<string> {
  try {
    makeDirectory(root);
    return await realpath(root);
  } catch (thrown) {
    throw new HeadwayError(
      'unavailable',
      `The directory of the slots can't be made: ${toError(thrown).message}. Set HEADWAY_HOME to another one.`,
      { cause: thrown },
    );
  }
}

async function collect(root: string, options: DoctorOptions, exec: Exec): Promise<Facts> {
  const repository = options.repository && (await repositoryFacts(options.repository));
  const [space, tried, stores, own] = await Promise.all([
    readSpace(root),
    tryPlace(root, exec),
    findStores(root, repository?.lockfiles, exec),
    collectOwn(root, exec),
  ]);
  return {
    platform: process.platform,
    root,
    space,
    stores,
    ...tried,
    ...own,
    ...(repository ? { repository: repository.facts } : {}),
  };
}

function collectOwn(
  root: string,
  exec: Exec,
): Promise<Pick<Facts, 'fileSystem' | 'linux' | 'macos' | 'windows'>> {
  switch (process.platform) {
    case 'linux':
      return collectLinux(root, exec);
    case 'darwin':
      return collectMacos(root, exec);
    case 'win32':
      return collectWindows(root, exec);
    default:
      return Promise.resolve({ fileSystem: unknown(`nobody taught Headway to ask ${process.platform}`) });
  }
}

async function fixOne(
  id: string,
  judged: readonly Judged[],
  powers: Powers,
  exec: Exec,
): Promise<{ done: boolean; text: string }> {
  const finding = judged.find((each) => each.id === id);
  if (!finding) {
    const ids = judged.filter((each) => each.fix).map((each) => each.id);
    const list = ids.length > 0 ? `what can be fixed: ${ids.join(', ')}` : 'nothing here has a fix';
    throw new HeadwayError('bad-input', `--fix: there is no finding ${id}; ${list}`);
  }
  if (finding.fix) return startFix(id, finding.fix, powers, exec);
  if (finding.status === 'ok') return { done: true, text: 'nothing to fix: it is ok' };
  return { done: false, text: `Headway can't do that for you. ${finding.remedy ?? finding.found}` };
}

function publish({ fix, ...finding }: Judged, powers: Powers): Finding {
  if (!fix) return finding;
  return {
    ...finding,
    fix: {
      command: fixText(finding.id, fix, powers),
      elevated: fix.kind === 'helper' || fix.elevated,
      startable: isStartable(fix, powers),
    },
  };
}
