import { RefreshCw, Wrench } from 'lucide-react';
import { useState } from 'react';
import type { DoctorReport, Finding } from '../../shared/doctor.ts';
import type { Repository } from '../../shared/domain.ts';
import { engine, perform } from '../state/engine.ts';
import { showToast, useUi } from '../state/ui-store.ts';
import { useAnswer } from '../state/use-answer.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Ago } from '../ui/elapsed.tsx';
import { inputClass } from '../ui/field.tsx';
import { Card } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { PlaceMark } from '../ui/state-mark.tsx';
import own from './reports.module.css';

const FIX_KEY = 'doctor:fix';

/** Is the place where slots lie a quick and a safe one? With a repository: for its names and its manager too. */
export function SlotDoctor({ repositories }: { repositories: readonly Repository[] }) {
  const [chosen, setChosen] = useState<string>();
  const repoId = repositories.find(({ id }) => id === chosen)?.id ?? repositories[0]?.id;
  const forWhich = repoId === undefined ? {} : { repoId };
  const { value, error, asking, ask, put } = useAnswer<DoctorReport>(`doctor:${repoId ?? ''}`, () =>
    engine().request('slots.doctor', forWhich),
  );
  const fixing = useUi((state) => state.busy.has(FIX_KEY));
  const fix = (id: string): void =>
    void perform(FIX_KEY, async () => {
      const report = await engine().request('slots.doctor', { ...forWhich, fix: id });
      put(report);
      if (report.fixed) showToast(report.fixed.done ? 'info' : 'warning', report.fixed.text);
    });
  return (
    <Card
      title="Doctor"
      {...(value ? { path: value.root } : { detail: 'The place where slots lie' })}
      actions={
        <>
          {repositories.length > 1 && (
            <select
              className={inputClass}
              aria-label="Repository to look at as well"
              value={repoId}
              onChange={(event) => setChosen(event.target.value)}
            >
              {repositories.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <Button icon={RefreshCw} busy={asking} onClick={ask}>
            Examine again
          </Button>
        </>
      }
    >
      {error !== undefined && (
        <p className={styles.empty} role="alert">
          The place of the slots can not be examined: {error}
        </p>
      )}
      {!value && error === undefined && <p className={styles.empty}>Checking the slots' disk…</p>}
      {value && <Findings report={value} fixing={fixing} onFix={fix} />}
    </Card>
  );
}

type FindingsProps = { report: DoctorReport; fixing: boolean; onFix: (id: string) => void };

function Findings({ report, fixing, onFix }: FindingsProps) {
  return (
    <>
      <div className={own.wide}>
        <table className={`${styles.table} ${own.table}`} aria-label="Findings about the place of the slots">
          <thead>
            <tr>
              <th>Status</th>
              <th>What</th>
              <th>Found</th>
              <th>Impact and fix</th>
            </tr>
          </thead>
          <tbody>
            {report.findings.map((finding) => (
              <FindingLine key={finding.id} finding={finding} fixing={fixing} onFix={onFix} />
            ))}
          </tbody>
        </table>
      </div>
      <p className={own.foot}>
        Examined <Ago at={report.at} />
      </p>
    </>
  );
}

function FindingLine({
  finding,
  fixing,
  onFix,
}: {
  finding: Finding;
  fixing: boolean;
  onFix: (id: string) => void;
}) {
  const { fix } = finding;
  return (
    <tr>
      <td className={own.wrap}>
        <PlaceMark status={finding.status} />
      </td>
      <td className={own.wrap}>{finding.title}</td>
      <td className={own.wrap}>{finding.found}</td>
      <td className={own.wrap}>
        {finding.cost !== undefined && <p>{finding.cost}</p>}
        {finding.remedy !== undefined && <p className={styles.note}>{finding.remedy}</p>}
        {fix && (
          <div className={own.fix}>
            <code>{fix.command}</code>
            {fix.startable ? (
              <Button
                icon={Wrench}
                aria-label={`Fix ${finding.title}`}
                title={fix.command}
                busy={fixing}
                onClick={() => onFix(finding.id)}
              >
                Fix
              </Button>
            ) : (
              <CopyButton text={fix.command} what="Copy" name={`Copy the command for ${finding.title}`} />
            )}
            {fix.elevated && <span className={styles.dim}>needs an administrator</span>}
          </div>
        )}
      </td>
    </tr>
  );
}
