import { engine, perform } from '../state/engine.ts';
import { currentModel } from '../state/store.ts';
import { openDialog, selectJob, showToast, showView, type TicketFile } from '../state/ui-store.ts';

/** Writes the sample repository and runs its tickets with the scripted agent: no key, no network. */
export function trySample(): Promise<boolean> {
  return perform('sample', async () => {
    const sample = await engine().request('sample.create', {});
    const { jobs } = await engine().request('tickets.submit', {
      repoId: sample.repository.id,
      files: sample.tickets.map((ticket) => ({ name: ticket.file, text: ticket.text })),
      agent: 'scripted',
    });
    showView('run');
    const [first] = jobs;
    if (first) selectJob(first.id);
  });
}

/** The repository that an action without a named one means: that of the selected job, else the only or first one. */
export function presentRepoId(selectedJobId: string | undefined): string | undefined {
  const model = currentModel();
  const job = selectedJobId === undefined ? undefined : model?.jobs.get(selectedJobId);
  return job?.repoId ?? model?.repositories.keys().next().value;
}

export function newTickets(repoId: string | undefined, files: readonly TicketFile[] = []): void {
  if (!currentModel()?.repositories.size) openDialog({ kind: 'add-repository' });
  else openDialog({ kind: 'tickets', repoId, files });
}

/** Warms slots; without a count, as many as run at once in one repository. */
export function warmSlots(repoId: string, count: number): Promise<boolean> {
  return perform(`warm:${repoId}`, async () => {
    await engine().request('slots.warm', { repoId, count });
    showToast('info', `Warming ${count} ${count === 1 ? 'slot' : 'slots'}`);
  });
}

export function warmPresent(selectedJobId: string | undefined): void {
  const repoId = presentRepoId(selectedJobId);
  const model = currentModel();
  if (repoId === undefined || !model) openDialog({ kind: 'add-repository' });
  else void warmSlots(repoId, defaultWarmCount());
}

export function defaultWarmCount(): number {
  const settings = currentModel()?.settings;
  return settings ? Math.min(settings.maxJobs, settings.maxJobsPerRepository) : 1;
}

const DECODER = new TextDecoder('utf-8', { fatal: true });

/** Reads dropped or chosen files; what is not UTF-8 is taken as Latin-1, as old editors wrote it. */
export async function readTicketFiles(files: readonly File[]): Promise<readonly TicketFile[]> {
  // In the order that the command line takes them, not the browser's.
  const order = new Intl.Collator('en', { numeric: true });
  const sorted = files.toSorted((a, b) => order.compare(a.name, b.name));
  return Promise.all(
    sorted.map(async (file) => {
      const bytes = await file.arrayBuffer();
      try {
        return { name: file.name, text: DECODER.decode(bytes) };
      } catch {
        return { name: file.name, text: new TextDecoder('windows-1252').decode(bytes) };
      }
    }),
  );
}
