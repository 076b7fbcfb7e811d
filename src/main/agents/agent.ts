import type { Ticket, Usage } from '../../shared/domain.ts';
import type { UsageLimit } from '../limits/usage-limit.ts';
import type { Environment } from '../processes/environment.ts';

/** What all agents of one account share while they run. */
export type AccountLimits = {
  /** How long from now it takes no requests; undefined: it takes them. */
  pausedMs(): number | undefined;
  /** A request was refused: everybody's waits, in whatever process they are. */
  limited(limit: UsageLimit): Promise<void>;
};

/** What an agent gets for one attempt. */
export type AgentContext = {
  ticket: Ticket;
  /** The ticket's text with Headway's few rules below it; see `buildPrompt`. */
  prompt: string;
  /** The slot: the only directory that it may change. */
  dir: string;
  /** Outside the slot; the caller removes it. */
  tempDir: string;
  /** The whole environment of what the agent starts; see `childEnvironment`. */
  env: Environment;
  /** Hard limit. */
  timeoutMs: number;
  signal: AbortSignal;
  /** A process of it runs, or its service answered: from here on it may be silent. Output alone is no sign of it. */
  began?(): void;
  /** Whether its account takes requests now, for one that makes them itself. */
  limits?: AccountLimits;
  /** Bytes for the pane. */
  output(bytes: Uint8Array): void;
  /** Takes secrets out of a text. To be asked before the text is cut: half of a secret is not known as one. */
  redact(text: string): string;
  /** Called as the numbers grow, with the sums so far. */
  onUsage(usage: Usage): void;
};

export type AgentOutcome =
  /** `limit`: its last words were of one, so where it changed nothing it was refused. */
  | { kind: 'finished'; usage?: Usage; limit?: UsageLimit }
  | { kind: 'failed'; why: string; exit?: number; usage?: Usage }
  /** Its account, or the service behind it, takes no more work for now. It is no fault of the job. */
  | { kind: 'limited'; limit: UsageLimit; usage?: Usage }
  | { kind: 'timed-out' }
  | { kind: 'cancelled' }
  /** Its program is not on this machine; `hint` says how to get it. */
  | { kind: 'missing'; hint: string };

/** What does the work. `run` settles only when nothing that it started is left, and never rejects for what the agent does. */
export interface Agent {
  id: string;
  run(context: AgentContext): Promise<AgentOutcome>;
}
