import { RefreshCw } from 'lucide-react';
import { useId } from 'react';
import type { Audit, AuditArea } from '../../shared/gate-report.ts';
import { engine, perform } from '../state/engine.ts';
import { showToast, useUi } from '../state/ui-store.ts';
import type { Answer } from '../state/use-answer.ts';
import { Button } from '../ui/button.tsx';
import styles from '../ui/section.module.css';
import { auditSummary, orderFindings, wireable } from './audit-summary.ts';
import { FindingRow } from './finding-row.tsx';
import own from './reports.module.css';

type Props = { repoId: string; answer: Answer<Audit>; onPolicyChange: () => void };

/** What the gate leaves out, why it matters, and the way out of each. */
export function GateAudit({ repoId, answer, onPolicyChange }: Props) {
  const { value: audit, error, asking, ask, put } = answer;
  const fixing = useUi((state) => state.busy.has(`fix:${repoId}`));
  const runs = audit ? wireable(audit.findings) : [];
  const wire = (wanted: readonly string[]): void =>
    void perform(`fix:${repoId}`, async () => {
      const fixed = await engine().request('gate.fix', { repoId, runs: [...wanted] });
      put(fixed.audit);
      onPolicyChange();
      const names = fixed.added.map(({ name }) => name).join(', ');
      if (names === '') showToast('warning', 'Nothing was added: the gate has these steps already.');
      else showToast('info', `Added to ${fixed.file}: ${names}.`);
    });
  const proposalsId = useId();
  return (
    <section className={own.part} aria-label="Audit">
      <header className={own.partHead}>
        <h3>Audit</h3>
        <p role="status">{audit ? auditSummary(audit.findings) : asking ? 'Reads the base branch…' : ''}</p>
        {runs.length > 1 && (
          <Button look="primary" busy={fixing} onClick={() => wire(runs)}>
            Wire all {runs.length}
          </Button>
        )}
        <Button icon={RefreshCw} busy={asking} onClick={ask}>
          Audit again
        </Button>
      </header>
      {error !== undefined && (
        <p className={own.trouble} role="alert">
          The audit failed: {error}
        </p>
      )}
      {audit && audit.findings.length > 0 && (
        <ul aria-label="Findings">
          {orderFindings(audit.findings).map((finding) => (
            <FindingRow
              key={`${finding.kind}:${finding.title}:${finding.files[0] ?? ''}`}
              finding={finding}
              repoId={repoId}
              fixing={fixing}
              onWire={wire}
              onAccepted={put}
            />
          ))}
        </ul>
      )}
      {audit?.findings.length === 0 && (
        <p className={styles.empty}>
          Nothing was found that the gate of the base branch leaves out. A proof shows whether its steps
          notice a break.
        </p>
      )}
      {audit && audit.areas.length > 0 && <Areas areas={audit.areas} />}
      {audit && audit.proposals.length > 0 && (
        <div className={own.proposals}>
          <h4 id={proposalsId} className={own.proposalsTitle}>
            Quicker, with the same outcome
          </h4>
          <ul aria-labelledby={proposalsId}>
            {audit.proposals.map((proposal) => (
              <li key={proposal}>{proposal}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Areas({ areas }: { areas: readonly AuditArea[] }) {
  return (
    <details className={own.fold}>
      <summary>What the steps read, by area</summary>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Area</th>
            <th className={styles.number}>Sources</th>
            <th className={styles.number}>Type check</th>
            <th className={styles.number}>Linted</th>
            <th className={styles.number}>Tests run</th>
          </tr>
        </thead>
        <tbody>
          {areas.map((area) => (
            <tr key={area.area}>
              <td className={styles.mono}>{area.area}</td>
              <td className={styles.number}>{area.sources}</td>
              <Share part={area.typechecked} whole={area.typecheckable} />
              <Share part={area.linted} whole={area.sources} />
              <Share part={area.testsRun} whole={area.tests} />
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Share({ part, whole }: { part: number | null; whole: number }) {
  if (whole === 0 || part === null)
    return <td className={`${styles.number} ${styles.dim}`}>{whole === 0 ? 'none' : 'unknown'}</td>;
  return (
    <td className={styles.number} data-short={part < whole || undefined}>
      {part} of {whole}
    </td>
  );
}
