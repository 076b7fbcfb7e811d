import { Plus, Upload, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { AgentInfo, Repository } from '../../shared/domain.ts';
import { readTicketFiles } from '../actions/start-actions.ts';
import { NAMES } from '../names.ts';
import { engine, perform } from '../state/engine.ts';
import { currentModel, useModel } from '../state/store.ts';
import { closeDialog, selectJob, showToast, showView, type TicketFile, useUi } from '../state/ui-store.ts';
import { Button, IconButton, LinkButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, inputClass } from '../ui/field.tsx';
import { Words } from '../ui/words.tsx';
import styles from './start.module.css';
import { discardTicketDraft, keepTicketDraft, readTicketDraft, sayTicketDraft } from './ticket-draft.ts';
import { TicketProblems } from './ticket-problems.tsx';
import { addFiles, nextTicketNumber, ticketTemplate } from './ticket-template.ts';
import { useTicketCheck } from './use-ticket-check.ts';

const NO_REPOSITORIES: ReadonlyMap<string, Repository> = new Map();
const NO_AGENTS: readonly AgentInfo[] = [];
const NO_FILES: readonly TicketFile[] = [];

type Props = { repoId: string | undefined; files: readonly TicketFile[] };

/**
 * Drop Markdown files, paste, or write one; problems show with file and line before anything is submitted. What was written is
 * kept, however the dialog is left, until it is submitted or discarded.
 */
export function NewTickets({ repoId: firstRepoId, files: firstFiles }: Props) {
  const repositories = useModel((model) => model.repositories, NO_REPOSITORIES);
  const agents = useModel((model) => model.agents, NO_AGENTS);
  const defaultAgent = useModel((model) => model.settings.defaultAgent, '');
  const [draft] = useState(readTicketDraft);
  const [repoId, setRepoId] = useState(() =>
    draft?.repoId !== undefined && repositories.has(draft.repoId)
      ? draft.repoId
      : (firstRepoId ?? repositories.keys().next().value),
  );
  const [firstNumber] = useState(() =>
    nextTicketNumber([...(currentModel()?.jobs.values() ?? [])].map((job) => job.ticket.id)),
  );
  const [files, setFiles] = useState(() => {
    const before = addFiles(draft?.files ?? [], firstFiles);
    return before.length > 0 ? before : [ticketTemplate(firstNumber)];
  });
  const [selected, setSelected] = useState(firstFiles.length > 0 ? (draft?.files.length ?? 0) : 0);
  const [removed, setRemoved] = useState<TicketFile>();
  const [agent, setAgent] = useState(draft?.agent ?? '');
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const submitting = useUi((state) => state.busy.has('tickets.submit'));
  const untouched = files.length === 1 && files[0]?.text === ticketTemplate(firstNumber).text;
  const [fits, setFits] = useState(true);
  useEffect(() => {
    if (untouched) discardTicketDraft();
    else setFits(keepTicketDraft({ files, repoId, agent }));
  }, [untouched, files, repoId, agent]);
  // Nothing is wrong with what nobody has written yet.
  const check = useTicketCheck(repoId, untouched ? NO_FILES : files);
  const missing = agents.find((info) => info.id === (agent === '' ? defaultAgent : agent) && !info.available);
  const present = files[selected];
  const ready = check.state === 'checked' && check.result.problems.length === 0;

  const take = async (list: FileList | null): Promise<void> => {
    const added = await readTicketFiles([...(list ?? [])]);
    if (added.length === 0) return;
    // An untouched template gives way to real files.
    const kept = untouched ? [] : files;
    setFiles(addFiles(kept, added));
    setSelected(kept.length);
  };

  const submit = (): Promise<boolean> =>
    perform('tickets.submit', async () => {
      if (repoId === undefined) return;
      const { jobs, notes } = await engine().request('tickets.submit', {
        repoId,
        files: [...files],
        agent: agent === '' ? undefined : agent,
      });
      for (const note of notes) showToast('info', note);
      discardTicketDraft();
      closeDialog();
      showView('run');
      if (jobs[0]) selectJob(jobs[0].id);
    });

  const remove = (index: number): void => {
    const gone = files[index];
    const rest = files.filter((_, other) => other !== index);
    setRemoved(untouched ? undefined : gone);
    setFiles(rest.length > 0 ? rest : [ticketTemplate(firstNumber)]);
    setSelected(Math.max(0, Math.min(selected, rest.length - 1)));
  };
  const putBack = (file: TicketFile): void => {
    const kept = untouched ? [] : files;
    setFiles(addFiles(kept, [file]));
    setSelected(kept.length);
    setRemoved(undefined);
  };
  const close = (): void => {
    closeDialog();
    if (!untouched) sayTicketDraft();
  };

  return (
    <Dialog
      title={NAMES.newTickets}
      widthPx={720}
      onClose={close}
      footer={
        <>
          {!untouched && (
            <Button
              onClick={() => {
                discardTicketDraft();
                closeDialog();
              }}
            >
              Discard draft
            </Button>
          )}
          <Button onClick={close}>{untouched ? 'Cancel' : 'Keep draft'}</Button>
          <Button look="primary" disabled={!ready} busy={submitting} onClick={() => void submit()}>
            {NAMES.submitTickets}
          </Button>
        </>
      }
    >
      <div className={styles.row}>
        <Field label="Repository">
          <select className={inputClass} value={repoId} onChange={(event) => setRepoId(event.target.value)}>
            {[...repositories.values()].map((repository) => (
              <option key={repository.id} value={repository.id}>
                {repository.name} ({repository.base})
              </option>
            ))}
          </select>
        </Field>
        <Field label="Agent">
          <select className={inputClass} value={agent} onChange={(event) => setAgent(event.target.value)}>
            <option value="">From the ticket, otherwise {defaultAgent}</option>
            {agents.map((info) => (
              <option key={info.id} value={info.id} disabled={!info.available}>
                {info.label}
                {info.available ? '' : ' (not installed)'}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way, the button beside it the other */}
      <div
        className={styles.drop}
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          event.stopPropagation();
          setOver(false);
          void take(event.dataTransfer.files);
        }}
      >
        <span>Drop Markdown files here, or write below.</span>
        <Button icon={Upload} onClick={() => chooser.current?.click()}>
          Choose files
        </Button>
        <input
          ref={chooser}
          type="file"
          aria-label="Ticket files"
          accept=".md,.markdown,text/markdown"
          multiple
          hidden
          onChange={(event) => void take(event.target.files)}
        />
      </div>
      <div className={styles.tabs}>
        {files.map((file, index) => (
          <span key={file.name} className={styles.tab} data-selected={index === selected}>
            <button type="button" aria-pressed={index === selected} onClick={() => setSelected(index)}>
              {file.name}
            </button>
            <IconButton icon={X} label={`Remove ${file.name}`} onClick={() => remove(index)} />
          </span>
        ))}
        <IconButton
          icon={Plus}
          label="Write another ticket"
          onClick={() => {
            setFiles(addFiles(files, [ticketTemplate(firstNumber + files.length)]));
            setSelected(files.length);
          }}
        />
      </div>
      {removed && (
        <p className={styles.dim} role="status">
          {removed.name} is removed. <LinkButton onClick={() => putBack(removed)}>Put it back</LinkButton>
        </p>
      )}
      {!fits && (
        <p className={styles.notes}>
          This draft is too large to outlive a reload of this page; submit it first.
        </p>
      )}
      {present && (
        <Field
          label={present.name}
          hint="Put id and title in the front matter. A ticket with paths runs beside others that touch none of them. Without paths, Headway uses those that its text mentions."
        >
          <textarea
            data-first
            className={inputClass}
            rows={6}
            style={{ height: 'clamp(128px, 28vh, 320px)' }}
            spellCheck={false}
            value={present.text}
            onChange={(event) =>
              setFiles(
                files.map((file, index) =>
                  index === selected ? { ...file, text: event.target.value } : file,
                ),
              )
            }
          />
        </Field>
      )}
      {missing && (
        <p className={styles.notes}>
          {missing.label} is not available here: <Words text={missing.hint ?? 'install it first'} />. Jobs
          that need it fail.
        </p>
      )}
      <TicketProblems check={check} />
    </Dialog>
  );
}
