import { Wrench } from 'lucide-react';
import type { Audit, Finding, FindingKind, Fix } from '../../shared/gate-report.ts';
import { openDialog } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { FileList } from '../ui/file-list.tsx';
import { SeverityMark } from '../ui/state-mark.tsx';
import { Words } from '../ui/words.tsx';
import own from './reports.module.css';

/** With these no policy decides about the repository at all, so there is nothing that could accept them. */
const BASIC: readonly FindingKind[] = ['not-a-work-tree', 'policy-unreadable', 'ungated'];

type Props = {
  finding: Finding;
  repoId: string;
  fixing: boolean;
  onWire: (runs: readonly string[]) => void;
  onAccepted: (audit: Audit) => void;
};

export function FindingRow({ finding, repoId, fixing, onWire, onAccepted }: Props) {
  const { accepted, fix } = finding;
  return (
    <li className={own.finding} aria-label={finding.title} data-quiet={accepted !== undefined || undefined}>
      <SeverityMark severity={finding.severity} />
      <div className={own.findingBody}>
        <h4>
          {finding.title}
          {finding.hidesWork && <span className={own.badge}>hides work</span>}
          {accepted !== undefined && <span className={own.badge}>accepted</span>}
        </h4>
        <p>
          <Words text={finding.why} />
        </p>
        {accepted !== undefined && <p>Accepted: {accepted}</p>}
        <FileList files={finding.files} label="Files" />
        {accepted === undefined && <Remedy fix={fix} />}
      </div>
      {accepted === undefined && (
        <div className={own.findingTools}>
          {fix.kind === 'policy' && (
            <Button
              icon={Wrench}
              busy={fixing}
              aria-label={`Wire it: ${finding.title}`}
              title="Adds it to your own policy of this repository"
              onClick={() => onWire(fix.addSteps.map(({ run }) => run))}
            >
              Wire it
            </Button>
          )}
          {fix.kind === 'patch' && (
            <CopyButton text={fix.patch} what="Copy patch" name={`Copy patch: ${finding.title}`} />
          )}
          {finding.severity !== 'info' && !BASIC.includes(finding.kind) && (
            <Button
              look="quiet"
              aria-label={`Accept… ${finding.title}`}
              onClick={() => openDialog({ kind: 'accept', repoId, finding, accepted: onAccepted })}
            >
              Accept…
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

function Remedy({ fix }: { fix: Fix }) {
  return (
    <>
      <p className={own.remedy}>
        To mend it: <Words text={fix.text} />
      </p>
      {fix.kind === 'policy' && fix.addSteps.some(({ run }) => !fix.text.includes(run)) && (
        <ul className={own.commands} aria-label="Steps to add">
          {fix.addSteps.map((step) => (
            <li key={step.run}>{step.run}</li>
          ))}
        </ul>
      )}
      {fix.kind === 'patch' && (
        <details className={own.patch}>
          <summary>Show the patch</summary>
          <pre>{fix.patch}</pre>
        </details>
      )}
    </>
  );
}
