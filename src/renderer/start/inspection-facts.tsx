import type { AgentInfo, Inspection } from '../../shared/domain.ts';
import { useModel } from '../state/store.ts';
import { inputClass } from '../ui/field.tsx';
import { Words } from '../ui/words.tsx';
import styles from './start.module.css';

const NO_AGENTS: readonly AgentInfo[] = [];

const SOURCES: Record<Inspection['gateSource'], string> = {
  override: 'given for this run',
  user: 'from your settings',
  repository: "from the repository's policy",
  default: 'found in its scripts',
  none: '',
};

/** What Headway found in a repository, and what is missing. */
export function InspectionFacts({
  inspection,
  onBase,
}: {
  inspection: Inspection;
  onBase: (base: string) => void;
}) {
  const agents = useModel((model) => model.agents, NO_AGENTS);
  const installed = agents.filter((agent) => agent.available).map((agent) => agent.label);
  return (
    <dl className={styles.found}>
      <dt>Base branch</dt>
      <dd>
        {inspection.branches.length > 1 ? (
          <select
            aria-label="Base branch"
            className={inputClass}
            value={inspection.base}
            onChange={(event) => onBase(event.target.value)}
          >
            {inspection.branches.map((branch) => (
              <option key={branch}>{branch}</option>
            ))}
          </select>
        ) : (
          inspection.base
        )}
      </dd>
      <dt>Dependencies</dt>
      <dd>{dependencyText(inspection)}</dd>
      {inspection.setup !== undefined && (
        <>
          <dt>Setup</dt>
          <dd>
            <code>{inspection.setup}</code>
          </dd>
        </>
      )}
      <dt>Gate</dt>
      <dd>
        {inspection.gate.length === 0 ? (
          'No step found. Jobs of this repository are UNGATED and never merge until it has one.'
        ) : (
          <ul className={styles.steps}>
            {inspection.gate.map((step) => (
              <li key={step.name}>
                {step.name} <code>{step.command}</code>
              </li>
            ))}
            <li className={styles.dim}>{SOURCES[inspection.gateSource]}</li>
          </ul>
        )}
      </dd>
      <dt>Agents</dt>
      <dd>
        {installed.length > 0 ? installed.join(', ') : 'none installed'}
        {agents
          .filter((agent) => !agent.available)
          .map((agent) => (
            <p key={agent.id} className={styles.dim}>
              {agent.label}: <Words text={agent.hint ?? 'not installed'} />
            </p>
          ))}
      </dd>
      {inspection.notes.length > 0 && (
        <>
          <dt>To know</dt>
          <dd>
            <ul className={styles.notes}>
              {inspection.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

function dependencyText({ manager, lockfile }: Inspection): string {
  if (manager === undefined) return 'none to install';
  return lockfile === undefined ? `${manager}, no lockfile` : `${manager}, ${lockfile}`;
}
