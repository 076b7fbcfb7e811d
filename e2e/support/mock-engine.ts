import type {
  AnyEvent,
  EventName,
  EventPayload,
  ProofState,
  RequestName,
  Snapshot,
} from '../../src/shared/contract.ts';
import type {
  Gauges,
  Inspection,
  Job,
  Repository,
  Session,
  Settings,
  Slot,
} from '../../src/shared/domain.ts';
import { HeadwayError } from '../../src/shared/errors.ts';
import type { Api, Handlers, SessionAttachment, SessionSink } from '../../src/shared/rpc/server.ts';
import { attempts, DIFF, job, REPOSITORY, slot } from './mock-data.ts';
import { type Reports, reportHandlers, someReports } from './mock-reports.ts';

const SETTINGS: Settings = {
  maxJobs: 4,
  maxJobsPerRepository: 4,
  maxAttempts: 3,
  agentTimeoutMs: 1_800_000,
  agentStartMs: 300_000,
  defaultAgent: 'claude-code',
  maxInstalls: 1,
  maxGateSteps: 2,
  maxQueued: 10_000,
  slotDiskBytes: 40 * 1024 ** 3,
  transcriptDays: 30,
  transcriptBytes: 2 * 1024 ** 3,
  copyOnSelect: false,
  editor: 'code {path}',
};

/** An engine of data only, behind the real contract: tests put rows in and watch what the window does. */
export class MockEngine implements Api {
  readonly repositories = new Map<string, Repository>();
  readonly jobs = new Map<string, Job>();
  readonly slots = new Map<string, Slot>();
  readonly sessions = new Map<string, Session>();
  readonly output = new Map<string, string>();
  readonly typed: { sessionId: string; text: string }[] = [];
  readonly asked: { name: string; params: unknown }[] = [];
  settings = SETTINGS;
  reports: Reports = someReports();
  /** Requests that fail, and what with. */
  readonly failures = new Map<RequestName, Error>();
  /** Requests that are not answered until their promise is. */
  readonly delays = new Map<RequestName, Promise<void>>();
  gauges: Gauges | undefined;
  pickedPath: string | undefined;
  readonly acknowledged = new Map<string, number>();
  #seq = 100;
  readonly #listeners = new Set<(event: AnyEvent) => void>();
  readonly #sinks = new Map<string, Set<SessionSink>>();

  readonly handlers: Handlers = this.#record({
    'app.snapshot': () => this.#snapshot(),
    'repository.inspect': ({ path, base }) => ({ ...this.#inspect(path), ...(base ? { base } : {}) }),
    'repository.add': ({ path, base }) => {
      const repository = { ...REPOSITORY, path, base: base ?? 'main', trustedHash: undefined };
      this.put('repository.changed', repository);
      return repository;
    },
    'repository.remove': ({ repoId }) => {
      this.repositories.delete(repoId);
      this.emit('repository.removed', { repoId });
      return {};
    },
    'repository.trust': ({ repoId, hash }) => {
      const repository = { ...found(this.repositories, repoId), trustedHash: hash };
      this.put('repository.changed', repository);
      return repository;
    },
    'sample.create': () => {
      this.put('repository.changed', REPOSITORY);
      return {
        repository: REPOSITORY,
        tickets: [{ file: 'one.md', text: '---\nid: T1\ntitle: One\n---\n' }],
      };
    },
    'tickets.check': ({ files }) => {
      const problems = files.flatMap((file) =>
        /^title: *\S/m.test(file.text) ? [] : [{ file: file.name, line: 3, message: 'title is empty' }],
      );
      const tickets = files.map((file) => ({
        id: /^id: *(\S+)/m.exec(file.text)?.[1] ?? file.name,
        title: /^title: *(.*)$/m.exec(file.text)?.[1] ?? '',
        claim: 'src/parse, test',
      }));
      return { tickets, problems };
    },
    'tickets.submit': ({ files }) => {
      const jobs = files.map((file, index) =>
        job(500 + this.jobs.size + index, { title: /^title: *(.*)$/m.exec(file.text)?.[1] ?? file.name }),
      );
      for (const each of jobs) this.put('job.changed', each);
      return { jobs, notes: [] };
    },
    'job.get': ({ jobId }) => {
      const one = found(this.jobs, jobId);
      return { job: one, attempts: attempts(one) };
    },
    'job.diff': ({ jobId }) => ({
      diff: found(this.jobs, jobId).files.length > 0 ? DIFF : '',
      cut: false,
      hash: 'seen',
    }),
    'job.cancel': ({ jobId }) =>
      this.#change(jobId, { state: 'cancelled', cause: { code: 'cancelled-by-person' } }),
    'job.reopen': ({ jobId }) => this.#change(jobId, { state: 'queued', cause: undefined }),
    'job.hold': ({ jobId }) => this.#change(jobId, { state: 'held', cause: { code: 'held-by-person' } }),
    'job.release': ({ jobId }) => this.#change(jobId, { state: 'queued', cause: undefined }),
    'slots.warm': ({ count }) => {
      const first = this.slots.size + 1;
      const slots = Array.from({ length: count }, (_, index) =>
        slot(first + index, { state: 'warming', reason: 'installs dependencies', commit: undefined }),
      );
      for (const each of slots) this.put('slot.changed', each);
      return { slots };
    },
    ...reportHandlers(this),
    'slot.rebuild': ({ slotId }) => {
      const next: Slot = { ...found(this.slots, slotId), state: 'warming', reason: 'is built anew' };
      this.put('slot.changed', next);
      return next;
    },
    'slot.remove': ({ slotId }) => {
      this.slots.delete(slotId);
      this.emit('slot.removed', { slotId });
      return {};
    },
    'session.open': ({ repoId, kind, jobId }) => {
      const number = this.sessions.size + 1;
      const opened: Session = {
        id: `shell-${number}`,
        kind,
        repoId,
        jobId,
        slotId: `slot-for-shell-${number}`,
        title: `${kind}: slot-5`,
        interactive: true,
        state: 'live',
        createdAt: Date.now(),
      };
      this.output.set(opened.id, '\x1b[32mada@box\x1b[0m:\x1b[34m~/slot-5\x1b[0m$ ');
      this.put(
        'slot.changed',
        slot(100 + number, { id: opened.slotId, state: 'claimed', sessionId: opened.id }),
      );
      this.put('session.changed', opened);
      return opened;
    },
    'session.finish': ({ sessionId, title }) => {
      const finished = job(900 + this.jobs.size, { title, state: 'running', stage: 'gate' });
      this.put('session.changed', { ...found(this.sessions, sessionId), state: 'exited' });
      this.put('job.changed', finished);
      return finished;
    },
    'session.close': ({ sessionId }) => {
      this.end(sessionId, undefined);
      return {};
    },
    'session.resize': () => ({}),
    'settings.set': (patch) => {
      const { maxJobsPerUser, ...others } = patch;
      this.settings = { ...this.settings, ...others, maxJobsPerUser: maxJobsPerUser ?? undefined };
      this.emit('settings.changed', this.settings);
      return this.settings;
    },
    'host.pickFolder': () => ({ available: this.pickedPath !== undefined, path: this.pickedPath }),
    'host.openEditor': () => ({}),
  });

  onEvent(listener: (event: AnyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  attach(sessionId: string, sink: SessionSink): SessionAttachment {
    const { state, exitCode } = found(this.sessions, sessionId);
    const kept = this.output.get(sessionId) ?? '';
    if (kept !== '') sink.data(new TextEncoder().encode(kept), 0);
    const sinks = this.#sinks.get(sessionId) ?? new Set();
    this.#sinks.set(sessionId, sinks.add(sink));
    if (state === 'exited') queueMicrotask(() => sink.end(exitCode));
    return {
      ack: (bytes) => this.acknowledged.set(sessionId, (this.acknowledged.get(sessionId) ?? 0) + bytes),
      detach: () => sinks.delete(sink),
    };
  }

  input(sessionId: string, bytes: Uint8Array): void {
    const text = new TextDecoder().decode(bytes);
    this.typed.push({ sessionId, text });
    this.print(sessionId, text === '\r' ? '\r\n$ ' : text);
  }

  print(sessionId: string, text: string): void {
    this.output.set(sessionId, (this.output.get(sessionId) ?? '') + text);
    for (const sink of this.#sinks.get(sessionId) ?? [])
      sink.data(new TextEncoder().encode(text), 0, undefined, true);
  }

  end(sessionId: string, exitCode: number | undefined): void {
    const session = found(this.sessions, sessionId);
    this.put('session.changed', { ...session, state: 'exited', exitCode, endedAt: Date.now() });
    for (const sink of [...(this.#sinks.get(sessionId) ?? [])]) sink.end(exitCode);
  }

  /** Stores a row and tells the window. */
  put<N extends 'job.changed' | 'slot.changed' | 'session.changed' | 'repository.changed'>(
    name: N,
    row: EventPayload<N>,
  ): void {
    const tables = {
      'job.changed': this.jobs,
      'slot.changed': this.slots,
      'session.changed': this.sessions,
      'repository.changed': this.repositories,
    };
    (tables[name] as Map<string, unknown>).set(row.id, row);
    this.emit(name, row);
  }

  emit<N extends EventName>(name: N, payload: EventPayload<N>): void {
    this.#seq += 1;
    if (name === 'gauges.sampled') this.gauges = payload as Gauges;
    for (const listener of this.#listeners) listener({ name, payload, seq: this.#seq } as AnyEvent);
  }

  /** Stores the state of the proof and tells the window. */
  sayProof(state: ProofState): void {
    this.reports.proof = state;
    this.emit('proof.changed', state);
  }

  /** An event that nobody hears: the next one shows the window a gap. */
  loseEvent(): void {
    this.#seq += 1;
  }

  #change(jobId: string, patch: Partial<Job>): Job {
    const before = found(this.jobs, jobId);
    const next = { ...before, ...patch, seq: before.seq + 1 };
    this.put('job.changed', next);
    return next;
  }

  #inspect(path: string): Inspection {
    if (path.includes('missing')) throw new HeadwayError('not-a-repository', `${path} is no git work tree.`);
    return {
      path,
      name: 'tabular',
      base: 'main',
      branches: ['main', 'next'],
      manager: 'npm',
      lockfile: 'package-lock.json',
      gate: [
        { name: 'lint', command: 'npm run lint', timeoutMs: 600_000 },
        { name: 'types', command: 'npm run typecheck', timeoutMs: 600_000 },
        { name: 'test', command: 'npm test', timeoutMs: 900_000 },
      ],
      gateSource: 'default',
      commandsHash: 'hash-new',
      trusted: false,
      notes: ['Uncommitted work in 2 files: it stays where it is and is not part of any job.'],
    };
  }

  #snapshot(): Snapshot {
    return {
      seq: this.#seq,
      version: '0.1.0',
      platform: 'linux',
      home: '/home/ada/.local/share/headway',
      repositories: [...this.repositories.values()],
      jobs: [...this.jobs.values()],
      queue: [...this.jobs.values()].flatMap(({ id, state }) => (state === 'queued' ? [id] : [])),
      slots: [...this.slots.values()],
      sessions: [...this.sessions.values()],
      settings: this.settings,
      agents: [
        { id: 'scripted', label: 'Scripted', available: true },
        { id: 'claude-code', label: 'Claude Code', available: true, version: '2.1.0' },
        { id: 'codex', label: 'Codex', available: false, hint: 'run `npm install -g @openai/codex`' },
      ],
      gauges: this.gauges,
    };
  }

  /** Notes what the window asked, then answers. */
  #record(handlers: Handlers): Handlers {
    const entries = Object.entries(handlers).map(([name, handler]) => [
      name,
      async (params: never, caller: never) => {
        this.asked.push({ name, params });
        await this.delays.get(name as RequestName);
        const failure = this.failures.get(name as RequestName);
        if (failure) throw failure;
        return (handler as (params: never, caller: never) => unknown)(params, caller);
      },
    ]);
    return Object.fromEntries(entries) as Handlers;
  }
}

function found<T>(rows: ReadonlyMap<string, T>, id: string): T {
  const row = rows.get(id);
  if (!row) throw new HeadwayError('not-found', `There is no ${id}.`);
  return row;
}
