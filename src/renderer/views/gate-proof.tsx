import { FlaskConical, Square } from 'lucide-react';
import type { ProofState } from '../../shared/contract.ts';
import type { Proof, ProofCell } from '../../shared/gate-report.ts';
import { formatDuration } from '../../shared/time.ts';
import { engine, perform } from '../state/engine.ts';
import { useUi } from '../state/ui-store.ts';
import type { Answer } from '../state/use-answer.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Ago } from '../ui/elapsed.tsx';
import styles from '../ui/section.module.css';
import { FreshMark, ProofMark } from '../ui/state-mark.tsx';
import { areaAlone, proofMatrix, proofSummary } from './proof-matrix.ts';
import own from './reports.module.css';

/** Can this gate fail? What was broken on purpose, and which step noticed. */
export function GateProof({ repoId, answer }: { repoId: string; answer: Answer<ProofState> }) {
  const { value: state, error, asking, put } = answer;
  const starting = useUi((ui) => ui.busy.has(`prove:${repoId}`));
  const cancelling = useUi((ui) => ui.busy.has(`cancel-proof:${repoId}`));
  const running = state?.running ?? false;
  const prove = (area?: string): void =>
    void perform(`prove:${repoId}`, async () =>
      put(await engine().request('gate.prove', { repoId, ...(area === undefined ? {} : { area }) })),
    );
  const cancel = (): void =>
    void perform(`cancel-proof:${repoId}`, async () =>
      put(await engine().request('gate.cancelProof', { repoId })),
    );
  const proveArea = running || starting ? undefined : prove;
  return (
    <section className={own.part} aria-label="Proof">
      <header className={own.partHead}>
        <h3>Proof</h3>
        <p role="status">
          {running
            ? `Proving${state?.area === undefined ? '' : ` ${state.area}`}: ${state?.progress ?? 'waits for a slot'}`
            : state?.proof?.provable
              ? proofSummary(state.proof.cells)
              : ''}
        </p>
        {state?.proof && <FreshMark fresh={state.fresh} />}
        {running && (
          <Button icon={Square} busy={cancelling} onClick={cancel}>
            Cancel the proof
          </Button>
        )}
        <Button icon={FlaskConical} busy={running || starting} onClick={() => prove()}>
          {running ? 'Proving…' : 'Prove'}
        </Button>
      </header>
      {error !== undefined && (
        <p className={own.trouble} role="alert">
          The last proof can not be read: {error}
        </p>
      )}
      {state?.error !== undefined && (
        <p className={own.trouble} role="alert">
          The proof ended early: {state.error}
        </p>
      )}
      {!state && asking && <p className={styles.empty}>Looks for the last proof…</p>}
      {state && !state.proof && !running && (
        <p className={styles.empty}>
          Not proved yet. Prove breaks the code on purpose in a slot of its own and sees which step notices.
        </p>
      )}
      {state?.proof && (
        <ProofFacts proof={state.proof} outdated={!state.fresh && !running} onProveArea={proveArea} />
      )}
      {state?.part && (
        <section aria-label={`Proof of ${state.part.area} alone`}>
          <h4 className={own.foot}>
            {state.part.area} alone: {proofSummary(state.part.proof.cells)}
          </h4>
          <ProofFacts proof={state.part.proof} outdated={false} onProveArea={proveArea} />
        </section>
      )}
    </section>
  );
}

/** `onProveArea` is there while one can be started. */
type OnProveArea = ((area: string) => void) | undefined;

function ProofFacts(props: { proof: Proof; outdated: boolean; onProveArea: OnProveArea }) {
  const { proof, outdated, onProveArea } = props;
  const missed = proof.cells.filter(({ result }) => result === 'missed');
  return (
    <>
      {!proof.provable && (
        <p className={own.trouble} role="alert">
          Nothing could be proved: {proof.reason}
        </p>
      )}
      {!proof.restored && (
        <p className={own.trouble} role="alert">
          The slot's tree was not as before afterwards; the slot was reset.
        </p>
      )}
      {outdated && (
        <p className={own.stale}>
          Stale: the gate or the dependencies are not those that were proved. Prove again.
        </p>
      )}
      {proof.cells.length > 0 && <Matrix cells={proof.cells} onProveArea={onProveArea} />}
      {missed.length > 0 && (
        <ul className={own.misses} aria-label="Missed breaks">
          {missed.map((cell) => (
            <li key={`${cell.area}:${cell.break}:${cell.file}`}>
              <ProofMark result="missed" />
              <div>
                <p>
                  <code>{cell.file}</code> {cell.break}: {cell.edit}
                </p>
                {cell.why !== undefined && <p className={styles.dim}>{cell.why}</p>}
                {cell.accepted !== undefined && <p className={styles.dim}>Accepted: {cell.accepted}</p>}
              </div>
            </li>
          ))}
        </ul>
      )}
      <p className={own.foot}>
        <Ago at={proof.at} /> at <code title={proof.commit}>{proof.commit.slice(0, 10)}</code>:{' '}
        {proof.gateRuns} {proof.gateRuns === 1 ? 'gate run' : 'gate runs'} in {formatDuration(proof.ms)}
      </p>
    </>
  );
}

function Matrix({ cells, onProveArea }: { cells: readonly ProofCell[]; onProveArea: OnProveArea }) {
  const matrix = proofMatrix(cells);
  return (
    <div className={own.wide}>
      <table className={styles.table} aria-label="Breaks by area">
        <thead>
          <tr>
            <th scope="col">Area</th>
            {matrix.breaks.map((kind) => (
              <th key={kind} scope="col">
                {kind}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.rows.map((row) => (
            <tr key={row.area}>
              <th scope="row" className={own.area} title={row.area}>
                {row.area}
                <IconButton
                  icon={FlaskConical}
                  label={`Prove ${areaAlone(row.area)} alone`}
                  className={own.alone}
                  disabled={!onProveArea}
                  onClick={() => onProveArea?.(areaAlone(row.area))}
                />
              </th>
              {matrix.breaks.map((kind) => (
                <td key={kind}>
                  {row.cells.get(kind)?.map((cell) => (
                    <ProofResult key={cell.file} cell={cell} />
                  ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ProofResult({ cell }: { cell: ProofCell }) {
  const where = cell.file === '' ? '' : `${cell.file}: ${cell.edit}`;
  return (
    <span className={own.cell} title={[where, cell.why ?? ''].filter(Boolean).join('\n')}>
      <ProofMark result={cell.result} />
      {cell.step !== undefined && <span className={styles.dim}>{cell.step}</span>}
    </span>
  );
}
