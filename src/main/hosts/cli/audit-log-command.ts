import { HeadwayError } from '../../../shared/errors.ts';
import { identify } from '../../repositories/identify.ts';
import { type AuditRow, findTampering } from '../../store/audit-chain.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

export type AuditLogOptions = { repo?: string; since?: string; verify?: boolean };

function sinceAt(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  throw new HeadwayError(
    'bad-input',
    `--since takes a date such as 2026-01-31 or 2026-01-31T12:00, not ${text}.`,
  );
}

/** `headway audit-log`: who did what to which repository; with `--verify`, whether the record is whole. */
export async function auditLogCommand(options: AuditLogOptions, output: Output): Promise<number> {
  const since = sinceAt(options.since);
  const repoId = options.repo === undefined ? undefined : (await identify(options.repo)).id;
  return looking(async ({ parts }) => {
    const { audit } = parts.store;
    if (options.verify) {
      const rows = await audit.list();
      const wrong = findTampering(rows, await audit.written());
      output.data({
        type: 'audit-check',
        entries: rows.length,
        whole: wrong === undefined,
        problem: wrong ?? null,
      });
      output.say(
        wrong === undefined ? `${rows.length} entries, none changed or taken out.` : `NOT WHOLE: ${wrong}.`,
      );
      return wrong === undefined ? EXIT.ok : EXIT.notDone;
    }
    const rows = await audit.list({
      ...(repoId === undefined ? {} : { repoId }),
      ...(since === undefined ? {} : { sinceAt: since }),
    });
    for (const { hash: _hash, previous: _previous, ...row } of rows) output.data({ type: 'audit', ...row });
    const nameOf = (row: AuditRow): string =>
      row.repoId === undefined ? '' : (parts.repositories.get(row.repoId)?.name ?? row.repoId);
    const cells = rows.map((row) => [
      new Date(row.at).toISOString(),
      `${row.who} (${row.via})`,
      row.action,
      nameOf(row),
      row.subject,
      row.text,
    ]);
    output.say(rows.length === 0 ? 'Nothing is on record.' : table(cells));
    return EXIT.ok;
  });
}
