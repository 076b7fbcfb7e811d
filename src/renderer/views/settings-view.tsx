import type { RequestParams } from '../../shared/contract.ts';
import type { AgentInfo, Repository } from '../../shared/domain.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { NAMES } from '../names.ts';
import { engine, perform } from '../state/engine.ts';
import { preferencesStore, usePreferences } from '../state/preferences.ts';
import { useModel } from '../state/store.ts';
import { openDialog } from '../state/ui-store.ts';
import { Button } from '../ui/button.tsx';
import { Field, inputClass } from '../ui/field.tsx';
import { Card, Page } from '../ui/page.tsx';
import styles from '../ui/section.module.css';
import { Words } from '../ui/words.tsx';
import { NumberField, OptionalNumberField, TextField } from './settings-fields.tsx';
import own from './views.module.css';

const GB = 1024 ** 3;
const NO_REPOSITORIES: ReadonlyMap<string, Repository> = new Map();
const NO_AGENTS: readonly AgentInfo[] = [];

const save = (patch: RequestParams<'settings.set'>): Promise<boolean> =>
  perform('settings.set', () => engine().request('settings.set', patch));

/** Each field is saved when it is left or chosen; there is no button to forget. */
export function SettingsView() {
  const settings = useModel((model) => model.settings, undefined);
  const agents = useModel((model) => model.agents, NO_AGENTS);
  if (!settings) return null;
  return (
    <Page title="Settings">
      <Card title="Limits">
        <div className={own.form}>
          <NumberField
            label="Jobs at once on this machine"
            value={settings.maxJobs}
            max={64}
            onSave={(maxJobs) => save({ maxJobs })}
          />
          <NumberField
            label="Jobs at once in one repository"
            value={settings.maxJobsPerRepository}
            max={64}
            onSave={(maxJobsPerRepository) => save({ maxJobsPerRepository })}
          />
          <NumberField
            label="Installs at once"
            value={settings.maxInstalls}
            max={8}
            onSave={(maxInstalls) => save({ maxInstalls })}
          />
          <NumberField
            label="Gate steps at once on this machine"
            value={settings.maxGateSteps}
            max={64}
            onSave={(maxGateSteps) => save({ maxGateSteps })}
          />
          <NumberField
            label="Attempts before a job is held"
            value={settings.maxAttempts}
            max={20}
            onSave={(maxAttempts) => save({ maxAttempts })}
          />
          <NumberField
            label="Time limit of an agent, in minutes"
            value={Math.max(1, Math.round(settings.agentTimeoutMs / MINUTE_MS))}
            max={24 * 60}
            onSave={(minutes) => save({ agentTimeoutMs: minutes * MINUTE_MS })}
          />
          <OptionalNumberField
            label="Jobs at once of one user"
            hint="Leave empty for no limit."
            value={settings.maxJobsPerUser}
            max={64}
            onSave={(maxJobsPerUser) => save({ maxJobsPerUser: maxJobsPerUser ?? null })}
          />
          <NumberField
            label="Jobs that may wait"
            value={settings.maxQueued}
            max={100_000}
            onSave={(maxQueued) => save({ maxQueued })}
          />
        </div>
      </Card>
      <Card title="Disk">
        <div className={own.form}>
          <NumberField
            label="All slots together, in GB"
            hint="The least recently used ones go beyond it."
            value={Math.max(1, Math.round(settings.slotDiskBytes / GB))}
            max={100_000}
            onSave={(size) => save({ slotDiskBytes: size * GB })}
          />
          <NumberField
            label="Keep output of sessions, in days"
            value={settings.transcriptDays}
            max={3650}
            onSave={(transcriptDays) => save({ transcriptDays })}
          />
          <NumberField
            label="Maximum size, in GB"
            value={Math.max(1, Math.round(settings.transcriptBytes / GB))}
            max={100_000}
            onSave={(size) => save({ transcriptBytes: size * GB })}
          />
        </div>
      </Card>
      <Card title="Agents">
        <div className={own.form}>
          <TextField
            label="Default agent"
            hint="An id from the list, or command: followed by a command line with {prompt}."
            value={settings.defaultAgent}
            options={agents.map((agent) => agent.id)}
            onSave={(defaultAgent) => save({ defaultAgent })}
          />
          <TextField
            label="Editor"
            hint="{path} stands for the directory, for example: code {path}"
            value={settings.editor}
            onSave={(editor) => save({ editor })}
          />
        </div>
        <AgentTable agents={agents} />
      </Card>
      <Terminals copyOnSelect={settings.copyOnSelect} />
      <Repositories />
      <About />
    </Page>
  );
}

function AgentTable({ agents }: { agents: readonly AgentInfo[] }) {
  return (
    <table className={styles.table}>
      <tbody>
        {agents.map((agent) => (
          <tr key={agent.id}>
            <td>{agent.label}</td>
            <td className={styles.mono}>{agent.id}</td>
            <td className={own.wrap}>
              <Words
                text={agent.available ? (agent.version ?? 'installed') : (agent.hint ?? 'not installed')}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Terminals({ copyOnSelect }: { copyOnSelect: boolean }) {
  const { screenReader, fontSizePx } = usePreferences();
  return (
    <Card title="Terminals">
      <div className={own.form}>
        <label className={own.check}>
          <input
            type="checkbox"
            checked={copyOnSelect}
            onChange={(event) => save({ copyOnSelect: event.target.checked })}
          />
          Copy on select
        </label>
        <label className={own.check}>
          <input
            type="checkbox"
            checked={screenReader}
            onChange={(event) => preferencesStore.setState({ screenReader: event.target.checked })}
          />
          Screen reader support in terminals
        </label>
        <Field label="Font size in terminals">
          <input
            className={inputClass}
            type="number"
            min={8}
            max={24}
            value={fontSizePx}
            onChange={(event) => {
              const next = event.target.valueAsNumber;
              if (next >= 8 && next <= 24) preferencesStore.setState({ fontSizePx: next });
            }}
          />
        </Field>
      </div>
    </Card>
  );
}

function Repositories() {
  const repositories = useModel((model) => model.repositories, NO_REPOSITORIES);
  return (
    <Card
      title="Repositories"
      actions={<Button onClick={() => openDialog({ kind: 'add-repository' })}>{NAMES.addRepository}</Button>}
    >
      {repositories.size === 0 && <p className={styles.empty}>None yet.</p>}
      <table className={styles.table}>
        <tbody>
          {[...repositories.values()].map((repository) => (
            <tr key={repository.id}>
              <td>{repository.name}</td>
              <td className={styles.mono} title={repository.path}>
                {repository.path}
              </td>
              <td>{repository.base}</td>
              <td className={styles.actions}>
                <Button look="quiet" onClick={() => confirmRemove(repository)}>
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function confirmRemove(repository: Repository): void {
  openDialog({
    kind: 'confirm',
    title: `Remove ${repository.name}?`,
    text: 'Its slots and its place in the queue go. Your clone and what has merged stay as they are.',
    verb: 'Remove repository',
    run: async () => {
      await perform(`remove:${repository.id}`, () =>
        engine().request('repository.remove', { repoId: repository.id }),
      );
    },
  });
}

function About() {
  const version = useModel((model) => model.version, '');
  const platform = useModel((model) => model.platform, '');
  const home = useModel((model) => model.home, '');
  return (
    <Card title={`Headway ${version}`} path={`${platform}, data in ${home}`}>
      <p className={styles.empty}>Ctrl or Cmd with K shows every action and its key.</p>
    </Card>
  );
}
