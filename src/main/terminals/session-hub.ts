import { join } from 'node:path';
import type { Session } from '../../shared/domain.ts';
import { HeadwayError } from '../../shared/errors.ts';
import type { SessionAttachment, SessionSink } from '../../shared/rpc/server.ts';
import type { Environment } from '../processes/environment.ts';
import { createTextRedactor } from '../redaction/redaction.ts';
import { FlowBudget } from './flow-budget.ts';
import { freeRead } from './output-memory.ts';
import { attachPast } from './past-session.ts';
import { type Pty, type PtyExit, startPty } from './pty.ts';
import { ReadingPace } from './reading-pace.ts';
import { SessionOutput } from './session-output.ts';
import { TranscriptWriter } from './transcript.ts';

export type SessionHubOptions = {
  /** Where transcripts are kept, one file a session. */
  dir: string;
  clock: { now(): number };
  /** Whose sessions these are, where several processes keep theirs in one place. */
  runnerId?: string;
  /** Called with each new or changed session. */
  onChange(session: Session): void;
  /** Values that must not be stored or shown; asked when a session opens. */
  secrets(): readonly string[];
  /** A transcript that could not be written; the session goes on. */
  onProblem?(text: string): void;
};

export type NewSession = Pick<Session, 'id' | 'kind' | 'repoId' | 'title'> &
  Partial<Pick<Session, 'jobId' | 'slotId'>>;

/** The output of headless programs as a session. Never slows its programs down. */
export interface SessionWriter {
  readonly session: Session;
  write(bytes: Uint8Array): void;
  /** Takes secrets out of a part of the output that is kept elsewhere too. Give it all that there is: a cut hides one. */
  redact(text: string): string;
  title(text: string): void;
  /** Settles when the transcript is complete. Further calls do nothing. */
  end(exitCode?: number): Promise<void>;
}

/** A terminal that a person may type into. */
export interface PtySession {
  readonly session: Session;
  /** Settles after the last output is in the transcript. */
  exited: Promise<PtyExit>;
  title(text: string): void;
  resize(cols: number, rows: number): void;
  /** Ends the program and all that it started; returns the processes that could not be ended. */
  kill(): Promise<number[]>;
}

export type NewPty = NewSession & {
  command: { file: string; args: readonly string[] };
  cwd: string;
  env: Environment;
  cols: number;
  rows: number;
  /** The page that asks for it: it answers what the program asks its terminal from the first byte on. */
  opener?: object | undefined;
};

export interface SessionHub {
  /** Throws `conflict` where the id is taken. */
  open(options: NewSession): SessionWriter;
  /** Throws `unavailable` where no terminal can be opened; then there is no session either. */
  openPty(options: NewPty): Promise<PtySession>;
  /**
   * Throws `not-found`. Replays what is kept, then goes on live; may write to the sink before it returns. Sinks of one
   * `page` share what may be on its way to them.
   */
  attach(sessionId: string, sink: SessionSink, page: object): SessionAttachment;
  /** Input of a page. Throws `not-found`, or `not-allowed` where the session takes none or has ended. */
  input(sessionId: string, bytes: Uint8Array, page?: object): void;
  /** Throws `not-found`; ignored for sessions that are no terminal, or have ended. */
  resize(sessionId: string, cols: number, rows: number): void;
  get(sessionId: string): Session | undefined;
  list(): Session[];
  /** Sessions of an earlier run, at start: they have ended; their transcripts are replayed from disk. */
  restore(sessions: readonly Session[]): void;
  /** Ends every terminal and completes every transcript. */
  close(): Promise<void>;
}

type Entry = { session: Session; output?: SessionOutput; pty?: Pty; ending?: Promise<void> };

export function createSessionHub(options: SessionHubOptions): SessionHub {
  const entries = new Map<string, Entry>();
  const pace = new ReadingPace();
  const budgets = new WeakMap<object, FlowBudget>();
  const transcriptOf = (id: string): string => join(options.dir, `${id}.log`);

  const entryOf = (id: string): Entry => {
    const entry = entries.get(id);
    if (!entry) throw new HeadwayError('not-found', `There is no session '${id}'.`);
    return entry;
  };
  const change = (entry: Entry, part: Partial<Session>): void => {
    entry.session = { ...entry.session, ...part };
    options.onChange(entry.session);
  };
  const add = (
    fresh: NewSession & { opener?: object | undefined },
    interactive: boolean,
  ): { entry: Entry; output: SessionOutput } => {
    const { id, kind, repoId, jobId, slotId, title } = fresh;
    if (!/^[\w-]{1,100}$/.test(id)) throw new HeadwayError('bad-input', `session id '${id}' is not usable`);
    if (entries.has(id)) throw new HeadwayError('conflict', `session '${id}' exists already`);
    const transcript = new TranscriptWriter(transcriptOf(id), (error) =>
      options.onProblem?.(`the transcript of session ${title} is incomplete: ${error.message}`),
    );
    const output: SessionOutput = new SessionOutput({
      transcript,
      secrets: options.secrets(),
      convertEol: !interactive,
      onReleased: () => delete entry.output,
      onShown: () => pace.answered(output),
      ...(fresh.opener ? { opener: fresh.opener } : {}),
    });
    const entry: Entry = {
      session: {
        id,
        kind,
        repoId,
        title,
        interactive,
        state: 'live',
        createdAt: options.clock.now(),
        ...(jobId === undefined ? {} : { jobId }),
        ...(slotId === undefined ? {} : { slotId }),
        ...(options.runnerId === undefined ? {} : { runnerId: options.runnerId }),
      },
      output,
    };
    entries.set(id, entry);
    return { entry, output };
  };
  const end = (entry: Entry, exitCode: number | undefined): Promise<void> => {
    entry.ending ??= (async () => {
      await entry.output?.end(exitCode);
      change(entry, {
        state: 'exited',
        endedAt: options.clock.now(),
        ...(exitCode === undefined ? {} : { exitCode }),
      });
    })();
    return entry.ending;
  };

  return {
    open(fresh) {
      const { entry, output } = add(fresh, false);
      options.onChange(entry.session);
      return {
        get session() {
          return entry.session;
        },
        write: (bytes) => output.write(bytes),
        redact: createTextRedactor(options.secrets()).text,
        title: (text) => change(entry, { title: text }),
        end: (exitCode) => end(entry, exitCode),
      };
    },
    async openPty(fresh) {
      const { entry, output } = add(fresh, true);
      let pty: Pty;
      try {
        pty = await startPty({
          ...fresh,
          onData: (bytes) => {
            pace.read(bytes.length);
            output.write(bytes);
            freeRead(bytes);
          },
        });
      } catch (thrown) {
        entries.delete(fresh.id);
        throw thrown;
      }
      entry.pty = pty;
      output.throttleWith(pty);
      pace.add(output);
      options.onChange(entry.session);
      const exited = pty.exited.then(async (exit) => {
        pace.remove(output);
        await end(entry, exit.exit);
        delete entry.pty;
        return exit;
      });
      return {
        get session() {
          return entry.session;
        },
        exited,
        title: (text) => change(entry, { title: text }),
        resize: (cols, rows) => pty.resize(cols, rows),
        kill: () => pty.kill(),
      };
    },
    attach(sessionId, sink, page) {
      const entry = entryOf(sessionId);
      const budget = budgets.get(page) ?? new FlowBudget();
      budgets.set(page, budget);
      if (entry.output) return entry.output.attach(sink, budget, page);
      return attachPast({ file: transcriptOf(sessionId), exitCode: entry.session.exitCode }, budget, sink);
    },
    input(sessionId, bytes, page) {
      const entry = entryOf(sessionId);
      if (!entry.pty || entry.ending) {
        throw new HeadwayError('not-allowed', `session '${entry.session.title}' takes no input`);
      }
      if (entry.output) {
        pace.typed(entry.output);
        if (page) entry.output.typedIn(page);
      }
      entry.pty.write(bytes);
    },
    resize: (sessionId, cols, rows) => entryOf(sessionId).pty?.resize(cols, rows),
    get: (sessionId) => entries.get(sessionId)?.session,
    list: () => [...entries.values()].map((entry) => entry.session),
    restore(sessions) {
      for (const session of sessions) {
        if (entries.has(session.id)) continue;
        const entry: Entry = { session };
        entries.set(session.id, entry);
        if (session.state === 'live') change(entry, { state: 'exited', endedAt: options.clock.now() });
      }
    },
    async close() {
      const open = [...entries.values()].filter((entry) => entry.output);
      await Promise.all(open.map(({ pty }) => pty?.kill().then(() => pty.exited)));
      await Promise.all(open.map((entry) => end(entry, undefined)));
    },
  };
}
