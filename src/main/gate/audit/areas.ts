import type { AuditArea } from '../../../shared/gate-report.ts';
import { isFixture } from './invocations.ts';
import { isTestSource } from './test-facts.ts';

const GENERATED = /(^|\/)(dist|build|out|coverage|generated|__generated__|\.next|\.yarn)\/|\.min\.js$/;
/** A tool's configuration, which tools read in their own way. */
const TOOL_FILE =
  /(^|\/)([\w.-]+\.config\.[cm]?[jt]s|\.[\w.-]+rc\.[cm]?js|\.[\w.-]+\.[cm]?js|vitest\.\w+\.[cm]?[jt]s)$/;

export const isToolFile = (path: string): boolean => TOOL_FILE.test(path);
/** JavaScript or TypeScript of the project: no data for tests, nothing generated, no declarations. */
export const isSource = (path: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path) && !isFixture(path) && !GENERATED.test(path);
export const isTypescript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

/** The part of a repository that a file belongs to: its package, and in it the first directory, or two below `src`. */
export function areaOf(path: string, packageDirs: readonly string[]): string {
  let home = '';
  for (const dir of packageDirs) if (dir.length > home.length && path.startsWith(`${dir}/`)) home = dir;
  const parts = (home === '' ? path : path.slice(home.length + 1)).split('/').slice(0, -1);
  const depth = /^(src|lib|app|packages|apps)$/.test(parts[0] ?? '') ? 2 : 1;
  const inner = parts.slice(0, depth).join('/');
  return [home, inner].filter((part) => part !== '').join('/') || '.';
}

/** What a gate reads of a file: undefined where that can't be told. */
export type Reads = Record<'typechecked' | 'linted' | 'tested', (path: string) => boolean | undefined>;

/** One more of what is read; once it can't be told of one file, the number is unknown. */
const more = (count: number | null, reads: boolean | undefined): number | null =>
  count === null || reads === undefined ? null : count + Number(reads);

/** Counts what the gate reads, by area, the largest first; null where it can't be told. */
export function auditAreas(
  files: readonly string[],
  packageDirs: readonly string[],
  reads: Reads,
): AuditArea[] {
  const areas = new Map<string, AuditArea>();
  for (const path of files) {
    if (!isSource(path) || isToolFile(path)) continue;
    const area = areaOf(path, packageDirs);
    const row = areas.get(area) ?? {
      area,
      sources: 0,
      typechecked: 0,
      typecheckable: 0,
      linted: 0,
      tests: 0,
      testsRun: 0,
    };
    areas.set(area, row);
    row.sources += 1;
    if (isTypescript(path)) {
      row.typecheckable += 1;
      row.typechecked = more(row.typechecked, reads.typechecked(path));
    }
    row.linted = more(row.linted, reads.linted(path));
    const tested = reads.tested(path);
    if (isTestSource(path) || tested) {
      row.tests += 1;
      row.testsRun = more(row.testsRun, tested);
    }
  }
  return [...areas.values()].sort((a, b) => b.sources - a.sources || (a.area < b.area ? -1 : 1));
}
