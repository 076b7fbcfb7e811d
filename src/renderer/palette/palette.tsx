import { Command } from 'cmdk';
import { useState } from 'react';
import { ACTIONS, runAction } from '../actions/action-list.ts';
import { jobActions, runJobAction, selectedJob } from '../actions/job-actions.ts';
import { chordOf, KEYS, type KeyedAction, keyLabel } from '../keys/key-map.ts';
import { inBrowser, isMac } from '../keys/platform.ts';
import { NAMES } from '../names.ts';
import { currentModel } from '../state/store.ts';
import { closeDialog, selectJob, showView } from '../state/ui-store.ts';
import { Kbd } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { JobMark } from '../ui/state-mark.tsx';
import { findJobs } from './find-jobs.ts';
import styles from './palette.module.css';

const GROUPS = [...new Set(ACTIONS.map((action) => action.group))];

/** Every action with its key, the selected job's own, and jobs by name. */
export function Palette() {
  const [text, setText] = useState('');
  const job = selectedJob();
  const jobs = findJobs(currentModel()?.jobs.values() ?? [], text);
  const then = (run: () => void) => (): void => {
    closeDialog();
    run();
  };
  return (
    <Dialog title={NAMES.palette} bare onClose={closeDialog}>
      <Command className={styles.root} label={NAMES.palette} loop>
        <Command.Input
          className={styles.input}
          placeholder="Do something, or find a job"
          value={text}
          onValueChange={setText}
          data-first
        />
        <Command.List className={styles.list}>
          <Command.Empty className={styles.empty}>No results.</Command.Empty>
          {job && (
            <Command.Group heading={`${job.ticket.id} ${job.ticket.title}`}>
              {jobActions(job).map((action) => (
                <Command.Item
                  key={action.id}
                  value={`${action.label} ${job.ticket.id}`}
                  className={styles.item}
                  onSelect={then(() => runJobAction(job, action.id))}
                >
                  <span>{action.label}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {GROUPS.map((group) => (
            <Command.Group key={group} heading={group}>
              {ACTIONS.filter((action) => action.group === group && action.id !== 'palette').map((action) => (
                <Command.Item
                  key={action.id}
                  value={action.title}
                  className={styles.item}
                  onSelect={then(() => runAction(action.id))}
                >
                  <span>{action.title}</span>
                  {action.id in KEYS && (
                    <Kbd>{keyLabel(chordOf(action.id as KeyedAction, inBrowser()), isMac())}</Kbd>
                  )}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
          {jobs.length > 0 && (
            <Command.Group heading="Jobs">
              {jobs.map((found) => (
                <Command.Item
                  key={found.id}
                  value={`${found.ticket.id} ${found.ticket.title} ${found.id}`}
                  className={styles.item}
                  onSelect={then(() => {
                    showView('run');
                    selectJob(found.id);
                  })}
                >
                  <JobMark job={found} bare />
                  <span>
                    {found.ticket.id} {found.ticket.title}
                  </span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}
