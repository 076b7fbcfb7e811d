import type { DoctorReport, Finding } from '../../../shared/doctor.ts';
import { examineSlotRoot } from '../../doctor/doctor.ts';
import { identify } from '../../repositories/identify.ts';
import { resolveHome } from '../../settings/home.ts';
import { EXIT } from './exit-codes.ts';
import { type Output, table } from './output.ts';

/** Looks at the place of the slots. Opens no engine: it also answers where none can start. */
export async function doctorCommand(
  options: { repo?: string; fix?: string },
  output: Output,
): Promise<number> {
  const repository = options.repo === undefined ? undefined : await identify(options.repo);
  const report = await examineSlotRoot({
    root: resolveHome().slots,
    ...(repository ? { repository: { path: repository.path, name: repository.name } } : {}),
    ...(options.fix === undefined ? {} : { fix: options.fix }),
  });
  output.data({ type: 'doctor', ...report });
  output.say(reportText(report));
  const failed = report.fixed?.done === false;
  return failed || report.findings.some(({ status }) => status === 'problem') ? EXIT.notDone : EXIT.ok;
}

const MARKS: Record<Finding['status'], string> = { ok: 'ok', problem: 'PROBLEM', unknown: 'unknown' };

/** Pure: the report for a person: a row each, and below it what to do about those that are not well. */
export function reportText(report: DoctorReport): string {
  const rows = report.findings.map((each) => [MARKS[each.status], each.id, each.title, each.found]);
  const parts = [`Slots are in ${report.root}`, '', table(rows)];
  if (report.fixed) {
    parts.splice(1, 0, `${report.fixed.id}: ${report.fixed.done ? '' : 'not fixed: '}${report.fixed.text}`);
  }
  for (const finding of report.findings) {
    if (finding.status === 'ok') continue;
    const lines = [
      finding.cost && `  costs  ${finding.cost}`,
      finding.remedy && `  do     ${finding.remedy}`,
      ...fixLines(finding),
    ].filter((line) => line !== undefined && line !== '');
    if (lines.length > 0) parts.push('', `${finding.id}: ${finding.found}`, ...(lines as string[]));
  }
  return parts.join('\n');
}

function fixLines({ id, fix }: Finding): string[] {
  if (!fix) return [];
  const own = `headway slots doctor --fix ${id}`;
  if (!fix.startable || fix.command === own) {
    return [`  run    ${fix.command}${fix.elevated ? '   (needs an administrator)' : ''}`];
  }
  return [`  run    ${own}   (${fix.command})`];
}
