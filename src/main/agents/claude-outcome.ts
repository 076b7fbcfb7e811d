import type { Usage } from '../../shared/domain.ts';
import { type UsageLimit, usageLimitIn } from '../limits/usage-limit.ts';
import type { AgentOutcome } from './agent.ts';
import type { ClaudeEvent } from './claude-stream.ts';
import { shorten } from './narration.ts';

type Result = Extract<ClaudeEvent, { kind: 'result' }>;

/** Statuses after which the account, or the service, takes no more for a while. */
const REFUSED = new Set<number | undefined>([429, 529]);
const WORDS_SHOWN = 300;
/** A refusal that came as the answer is one sentence; a report of work that speaks of limits is longer, or has done something. */
const LONGEST_REFUSAL = 300;

/** What the stream of one run has told so far, as far as it decides how the run ended. */
export class ClaudeCourse {
  #result: Result | undefined;
  #usage: Usage | undefined;
  #limit: UsageLimit | undefined;

  /** The last one; undefined while it works, also when it works again after one. */
  get result(): Result | undefined {
    return this.#result;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Its requests are refused, as of the last event that says so or does otherwise. */
  get limit(): UsageLimit | undefined {
    return this.#limit;
  }

  take(event: ClaudeEvent, nowMs: number): void {
    switch (event.kind) {
      case 'limit':
        this.#limit = event.rejected
          ? limited('its account is at its usage limit', event.resetAt)
          : undefined;
        return;
      case 'retry':
        if (REFUSED.has(event.status)) {
          this.#limit = limited(`its requests are refused (${event.status})`, nowMs + event.waitMs);
        }
        return;
      case 'tool':
        // A model asked for it: the account answers.
        this.#limit = undefined;
        this.#result = undefined;
        return;
      case 'text':
        // The words of a refusal come as a text, too.
        this.#result = undefined;
        return;
      case 'result':
        this.#result = event;
        this.#usage = event.usage;
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'tool-error':
      case 'noise':
        return;
      default:
        event satisfies never;
    }
  }
}

const limited = (why: string, resetAt: number | undefined): UsageLimit =>
  resetAt === undefined ? { why } : { why, resetAt };

/**
 * Pure: the program's end and what its stream said, as one outcome. An exit of 0 without a result is no success; a result is
 * one however the program ended after it, save by a person.
 */
export function claudeOutcome(
  end: AgentOutcome,
  { result, limit, usage: used }: Pick<ClaudeCourse, 'result' | 'usage' | 'limit'>,
  { tail, nowMs }: { tail: string; nowMs: number },
): AgentOutcome {
  const usage = used ? { usage: used } : {};
  if (end.kind === 'cancelled' || end.kind === 'missing') return end;
  if (result) {
    const told = usageLimitIn(result.text, nowMs);
    const refusal = result.text.length <= LONGEST_REFUSAL ? told : undefined;
    const refused = REFUSED.has(result.status) ? limited(result.text, undefined) : undefined;
    const stated = limit && { ...limit, why: refusal?.why ?? limit.why };
    if (!result.ok) {
      const known = stated ?? told ?? refused;
      if (!known) return { kind: 'failed', why: shorten(result.text, WORDS_SHOWN), ...usage };
      return {
        kind: 'limited',
        limit: { ...told, ...known, why: shorten(known.why, WORDS_SHOWN) },
        ...usage,
      };
    }
    const hint = stated ?? refusal;
    return { kind: 'finished', ...usage, ...(hint ? { limit: hint } : {}) };
  }
  if (limit) return { kind: 'limited', limit, ...usage };
  if (end.kind === 'timed-out') return end;
  if (end.kind === 'failed') {
    const told = usageLimitIn(tail, nowMs);
    return told ? { kind: 'limited', limit: told, ...usage } : { ...end, ...usage };
  }
  return { kind: 'failed', why: 'claude ended without a result', ...usage };
}
