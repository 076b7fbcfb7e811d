import { ExternalLink, Flame, RotateCcw, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Job, Repository, Slot } from '../../shared/domain.ts';
import { formatBytes } from '../../shared/sizes.ts';
import { runAction } from '../actions/action-list.ts';
import { defaultWarmCount, warmSlots } from '../actions/start-actions.ts';
import { NAMES } from '../names.ts';
import { engine, perform } from '../state/engine.ts';
import { useModel } from '../state/store.ts';
import { openDialog, selectJob, showView, useUi } from '../state/ui-store.ts';
import { Button, IconButton, LinkButton } from '../ui/button.tsx';
import { Ago } from '../ui/elapsed.tsx';
import { inputClass } from '../ui/field.tsx';
import { Card, Page } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { SlotMark } from '../ui/state-mark.tsx';
import { KeptWork } from './kept-work.tsx';
import { NoRepository } from './no-repository.tsx';
import { SlotDoctor } from './slot-doctor.tsx';
import own from './views.module.css';

const NO_REPOSITORIES: ReadonlyMap<string, Repository> = new Map();
const NO_SLOTS: ReadonlyMap<string, Slot> = new Map();
const NO_JOBS: ReadonlyMap<string, Job> = new Map();

export function SlotsView() {
  const repositories = useModel((model) => model.repositories, NO_REPOSITORIES);
  return (
    <Page
      title="Slots"
      actions={
        <>
          <DiskUse />
          {repositories.size > 0 && (
            <Button onClick={() => runAction('repository.add')}>{NAMES.addRepository}</Button>
          )}
        </>
      }
    >
      {repositories.size === 0 && <NoRepository />}
      {[...repositories.values()].map((repository) => (
        <RepositorySlots key={repository.id} repository={repository} />
      ))}
      {repositories.size > 0 && <KeptWork />}
      <SlotDoctor repositories={[...repositories.values()]} />
    </Page>
  );
}

/** What all slots take together, of what they may. */
function DiskUse() {
  const slots = useModel((model) => model.slots, NO_SLOTS);
  const limitBytes = useModel((model) => model.settings.slotDiskBytes, undefined);
  const measured = useMemo(() => [...slots.values()].flatMap(({ sizeBytes }) => sizeBytes ?? []), [slots]);
  if (measured.length === 0) return null;
  const usedBytes = measured.reduce((sum, bytes) => sum + bytes, 0);
  return (
    <span className={styles.note}>
      {formatBytes(usedBytes)}
      {limitBytes !== undefined && ` of ${formatBytes(limitBytes)}`}
      {measured.length < slots.size && `, ${slots.size - measured.length} not measured`}
    </span>
  );
}

function RepositorySlots({ repository }: { repository: Repository }) {
  const all = useModel((model) => model.slots, NO_SLOTS);
  const slots = useMemo(
    () =>
      [...all.values()]
        .filter((slot) => slot.repoId === repository.id)
        .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true })),
    [all, repository.id],
  );
  return (
    <Card
      title={repository.name}
      path={`${repository.path} (${repository.base})`}
      actions={<Warm repository={repository} />}
    >
      {slots.length === 0 ? (
        <p className={styles.empty}>
          No slots yet. A warm slot is a work tree with dependencies installed: a job starts in it at once.
        </p>
      ) : (
        <div className={own.columns}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th>Slot</th>
                <th>State</th>
                <th>Commit</th>
                <th>What it does</th>
                <th className={styles.number}>Size</th>
                <th>Used</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {slots.map((slot) => (
                <SlotRow key={slot.id} slot={slot} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Warm({ repository }: { repository: Repository }) {
  const [count, setCount] = useState(defaultWarmCount);
  const busy = useUi((state) => state.busy.has(`warm:${repository.id}`));
  return (
    <form
      className={own.warm}
      onSubmit={(event) => {
        event.preventDefault();
        void warmSlots(repository.id, count);
      }}
    >
      <input
        className={inputClass}
        type="number"
        min={1}
        max={64}
        aria-label={`Slots to warm for ${repository.name}`}
        value={count}
        onChange={(event) => setCount(Math.max(1, Math.min(64, event.target.valueAsNumber || 1)))}
      />
      <Button look="primary" icon={Flame} type="submit" busy={busy}>
        {NAMES.warmSlots}
      </Button>
    </form>
  );
}

function SlotRow({ slot }: { slot: Slot }) {
  const job = useModel((model) => model.jobs, NO_JOBS).get(slot.jobId ?? '');
  const session = useModel((model) => model.sessions.get(slot.sessionId ?? '')?.title, undefined);
  const busy = useUi((state) => state.busy.has(`slot:${slot.id}`));
  const inUse = slot.state === 'claimed' || slot.state === 'resetting';
  const run = (request: 'slot.rebuild' | 'slot.remove'): void =>
    void perform(`slot:${slot.id}`, () => engine().request(request, { slotId: slot.id }));
  return (
    <tr aria-busy={busy}>
      <td className={styles.mono} title={slot.path}>
        {slot.id}
      </td>
      <td>
        <SlotMark state={slot.state} />
      </td>
      <td className={styles.mono} title={slot.commit}>
        {slot.commit?.slice(0, 8) ?? ''}
      </td>
      <td title={slot.reason ?? job?.ticket.title ?? session}>
        {job && (
          <LinkButton
            onClick={() => {
              showView('run');
              selectJob(job.id);
            }}
          >
            {job.ticket.id}
          </LinkButton>
        )}{' '}
        {slot.reason ?? (job ? job.ticket.title : session)}
      </td>
      <td
        className={styles.number}
        title={
          slot.measuredAt === undefined ? undefined : `Measured ${new Date(slot.measuredAt).toLocaleString()}`
        }
      >
        {slot.sizeBytes === undefined ? (
          <span className="visually-hidden">not measured</span>
        ) : (
          formatBytes(slot.sizeBytes)
        )}
      </td>
      <td className={styles.dim}>
        <Ago at={slot.usedAt} />
      </td>
      <td className={styles.actions}>
        <div className={own.tools}>
          <IconButton
            icon={ExternalLink}
            label={`Open ${slot.id} in editor`}
            onClick={() =>
              void perform(`edit:${slot.id}`, () => engine().request('host.openEditor', { path: slot.path }))
            }
          />
          <IconButton
            icon={RotateCcw}
            label={`Rebuild ${slot.id}`}
            disabled={busy || inUse}
            onClick={() => run('slot.rebuild')}
          />
          <IconButton
            icon={Trash2}
            label={`Remove ${slot.id}`}
            disabled={busy || inUse}
            onClick={() =>
              slot.state === 'quarantined'
                ? openDialog({
                    kind: 'confirm',
                    title: `Remove ${slot.id}?`,
                    text: `It is quarantined: ${slot.reason ?? 'it could not be proved clean'}. What it holds may not be kept elsewhere.`,
                    verb: 'Remove slot',
                    run: async () => run('slot.remove'),
                  })
                : run('slot.remove')
            }
          />
        </div>
      </td>
    </tr>
  );
}
