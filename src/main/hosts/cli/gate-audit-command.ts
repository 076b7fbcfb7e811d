import { HeadwayError } from '../../../shared/errors.ts';
import type { Audit, Finding } from '../../../shared/gate-report.ts';
import { auditPath, fixPolicy } from '../../gate-runs/gate-audit.ts';
import { resolveHome } from '../../settings/home.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

export type GateAuditOptions = { repo?: string; all?: boolean; fix?: boolean; base?: string };

const open = (audit: Audit): Finding[] =>
  audit.findings.filter(({ severity, accepted }) => severity !== 'info' && accepted === undefined);

/** `headway gate audit`: 0 clean, 1 findings, 2 bad usage. Nothing of a repository is executed or changed. */
export async function gateAuditCommand(
  options: GateAuditOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  if (options.all && options.repo !== undefined) {
    throw new HeadwayError('bad-input', '--repo and --all exclude each other');
  }
  const home = resolveHome();
  const places: { path: string; base?: string }[] = options.all
    ? await looking(async ({ parts }) => parts.repositories.list().map(({ path, base }) => ({ path, base })))
    : [{ path: options.repo ?? '.', ...(options.base === undefined ? {} : { base: options.base }) }];
  let findings = 0;
  for (const { path, base } of places) {
    let audit = await oneAudit(path, base, options.all === true);
    if (options.fix) {
      const { file, added, hash, hashBefore } = await fixPolicy(home, audit);
      if (added.length > 0) {
        output.data({ type: 'fixed', file, added });
        output.say(`${file}: added ${added.map(({ run }) => run).join(' · ')}`);
        await agreeAnew(audit.repoId, hashBefore, hash);
        audit = await oneAudit(path, base, false);
      }
    }
    output.data({ type: 'audit', ...audit });
    for (const line of auditLines(audit)) output.say(line);
    findings += open(audit).length;
  }
  if (places.length === 0) output.say('No repository is registered.');
  return findings === 0 ? EXIT.ok : EXIT.notDone;

  /** With --all, a repository that is gone is a finding of its own and stops no other. */
  async function oneAudit(path: string, base: string | undefined, all: boolean): Promise<Audit> {
    try {
      return await auditPath(home, path, base, signal);
    } catch (thrown) {
      if (!all || signal.aborted || !(thrown instanceof HeadwayError)) throw thrown;
      const finding: Finding = {
        kind: 'not-a-work-tree',
        severity: 'error',
        title: 'it can not be opened',
        files: [],
        why: thrown.message,
        fix: { kind: 'advice', text: 'bring it back, or remove it from Headway' },
        hidesWork: true,
      };
      return {
        path,
        name: path,
        gateSource: 'none',
        steps: [],
        findings: [finding],
        areas: [],
        proposals: [],
      };
    }
  }
}

/** Who adds a step here agrees to it: a yes to the commands before is one to those after. */
async function agreeAnew(
  repoId: string | undefined,
  before: string | undefined,
  after: string | undefined,
): Promise<void> {
  if (repoId === undefined || after === undefined) return;
  await looking(async ({ parts: { repositories } }) => {
    const known = repositories.get(repoId);
    if (known?.trustedHash !== undefined && known.trustedHash === before)
      await repositories.trust(known, after);
  });
}

const SHOWN = 20;

function auditLines(audit: Audit): string[] {
  const lines = [
    `${audit.name}  ${audit.path}`,
    audit.steps.length === 0
      ? '  gate: none (UNGATED)'
      : `  gate (${audit.gateSource}): ${audit.steps.map(({ command }) => command).join(' · ')}`,
  ];
  for (const finding of audit.findings) {
    const state = finding.accepted === undefined ? finding.severity : `accepted: ${finding.accepted}`;
    lines.push('', `  ${state}  ${finding.kind}: ${finding.title}`, `    ${finding.why}`);
    lines.push(...finding.files.slice(0, SHOWN).map((path) => `      ${path}`));
    if (finding.files.length > SHOWN)
      lines.push(`      and ${finding.files.length - SHOWN} more (--json lists all)`);
    if (finding.hidesWork && finding.accepted === undefined)
      lines.push('    The gate is not called green while this stands.');
    lines.push(`    Fix: ${finding.fix.text}${finding.fix.kind === 'policy' ? ' (--fix does it)' : ''}`);
    if (finding.fix.kind === 'patch')
      lines.push(...finding.fix.patch.split('\n').map((line) => `      ${line}`));
  }
  if (audit.areas.length > 0) {
    const share = (part: number | null, whole: number): string =>
      whole === 0 ? '-' : part === null ? 'unknown' : `${part}/${whole}`;
    const rows = audit.areas.map((area) => [
      `  ${area.area}`,
      String(area.sources),
      share(area.typechecked, area.typecheckable),
      share(area.linted, area.sources),
      share(area.testsRun, area.tests),
    ]);
    lines.push('', table([['  area', 'sources', 'typechecked', 'linted', 'tests run'], ...rows]));
  }
  for (const proposal of audit.proposals) lines.push(`  faster: ${proposal}`);
  lines.push(
    '',
    open(audit).length === 0
      ? '  no findings'
      : `  ${open(audit).length} finding${open(audit).length === 1 ? '' : 's'}`,
  );
  return lines;
}
