import { setTimeout as delay } from 'node:timers/promises';
import type { Usage } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { type UsageLimit, usageLimitIn } from '../limits/usage-limit.ts';
import type { AgentContext, AgentOutcome } from './agent.ts';
import { type ChatModel, type ModelAnswer, ModelError, type ModelRequest } from './chat-model.ts';
import { type ToolResult, type Turn, trimConversation } from './conversation.ts';
import { createNarration, type Narration, shorten } from './narration.ts';
import { decideRetry, RETRY_POLICY, type RetryPolicy } from './retry-policy.ts';
import { TextLines } from './text-lines.ts';
import { describeCall, runTool, TOOLS } from './tools.ts';
import { usageLine } from './usage-line.ts';

export type LoopOptions = { maxRounds: number; retry: RetryPolicy };

const DEFAULTS: LoopOptions = { maxRounds: 150, retry: RETRY_POLICY };
/** Node fires longer timers at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Room for the answer and for what the estimate of tokens gets wrong. */
const BUDGET_SHARE = 0.75;

const SYSTEM = [
  'You are a programmer. You work alone, through tools, in a checkout of a repository that is the current directory.',
  'Look before you change: list and read what the task is about. Make the smallest change that does all of the task,',
  'in the style of the code around it. Run the tests or checks that the repository has for what you changed.',
  'When the task is done, or can not be done, stop calling tools and say in two or three sentences what you did.',
].join(' ');

/**
 * Lets a model work in the slot with tools until it calls none any more. Cancel and the hard timeout cut the model's stream and
 * end a running command. Errors of the server are outcomes; a busy one is tried again a bounded number of times.
 */
export async function runToolLoop(
  context: AgentContext,
  model: ChatModel,
  options: Partial<LoopOptions> = {},
): Promise<AgentOutcome> {
  const timeout = AbortSignal.timeout(Math.min(context.timeoutMs, MAX_TIMER_MS));
  const signal = AbortSignal.any([context.signal, timeout]);
  const narration = createNarration(context.output);
  const usage: Usage = { rounds: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, modelMs: 0, toolMs: 0 };
  const outcome = await converse({ ...context, signal }, model, { ...DEFAULTS, ...options }, narration, usage)
    // A tool or the server may throw anything when it is cut; the reason is the signal's.
    .catch((thrown: unknown): AgentOutcome => {
      if (thrown instanceof ModelError && thrown.kind === 'missing') {
        return { kind: 'missing', hint: thrown.message };
      }
      const why = shorten(context.redact(toError(thrown).message), 300);
      const limit = thrown instanceof ModelError ? limitOf(thrown, why) : undefined;
      return limit ? { kind: 'limited', limit } : { kind: 'failed', why };
    });
  if (context.signal.aborted) return { kind: 'cancelled' };
  if (timeout.aborted) return { kind: 'timed-out' };
  if (outcome.kind === 'failed') narration.complain(outcome.why);
  if (outcome.kind === 'limited') narration.complain(outcome.limit.why);
  if (usage.rounds > 0) narration.detail(usageLine(usage));
  return outcome.kind === 'missing' || outcome.kind === 'cancelled' || outcome.kind === 'timed-out'
    ? outcome
    : { ...outcome, usage };
}

/** What a refusal says of the account; undefined: the error is none. Credit that is used up comes as a plain error. */
function limitOf({ kind, message, retryAfterMs }: ModelError, why: string): UsageLimit | undefined {
  const told = kind === 'failed' || kind === 'refused' ? usageLimitIn(message, Date.now()) : undefined;
  if (kind !== 'refused') return told && { ...told, why };
  const resetAt = retryAfterMs === undefined ? told?.resetAt : Date.now() + retryAfterMs;
  return resetAt === undefined ? { why } : { why, resetAt };
}

async function converse(
  context: AgentContext,
  model: ChatModel,
  options: LoopOptions,
  narration: Narration,
  usage: Usage,
): Promise<AgentOutcome> {
  const deadlineAt = performance.now() + context.timeoutMs;
  narration.detail(model.label);
  let turns: Turn[] = [{ role: 'user', text: context.prompt }];
  while (usage.rounds < options.maxRounds) {
    turns = withinBudget(turns, model, narration);
    const answer = await ask(model, turns, context, options.retry, deadlineAt, narration, usage);
    count(usage, answer);
    context.onUsage({ ...usage });
    turns.push({
      role: 'assistant',
      text: answer.text,
      calls: answer.calls,
      ...(answer.native === undefined ? {} : { native: answer.native }),
    });
    if (answer.stop === 'refused') return { kind: 'failed', why: 'the model refused to go on' };
    if (answer.calls.length === 0) {
      if (answer.stop === 'length') {
        turns.push({ role: 'user', text: 'You were cut at the output limit. Go on.' });
        continue;
      }
      if (answer.text.trim() === '' && usage.toolCalls === 0) {
        return { kind: 'failed', why: 'the model answered nothing' };
      }
      return { kind: 'finished' };
    }
    turns.push({ role: 'tools', results: await callTools(answer, context, narration, usage) });
    context.onUsage({ ...usage });
  }
  return {
    kind: 'failed',
    why: `stopped after ${options.maxRounds} rounds: the model did not come to an end`,
  };
}

function withinBudget(turns: Turn[], model: ChatModel, narration: Narration): Turn[] {
  const trimmed = trimConversation(turns, model.contextTokens * BUDGET_SHARE);
  if (trimmed.cutResults > 0) {
    narration.detail(
      `left out ${trimmed.cutResults} old results (${trimmed.cutCharacters} characters) to stay within ${model.contextTokens} tokens`,
    );
  }
  if (!trimmed.fits) {
    throw new ModelError('failed', `the conversation does not fit in ${model.contextTokens} tokens any more`);
  }
  return trimmed.turns;
}

async function ask(
  model: ChatModel,
  turns: readonly Turn[],
  context: AgentContext,
  policy: RetryPolicy,
  deadlineAt: number,
  narration: Narration,
  usage: Usage,
): Promise<ModelAnswer> {
  for (let tried = 1; ; tried += 1) {
    const lines = new TextLines(narration.say);
    const request: ModelRequest = {
      system: SYSTEM,
      turns,
      tools: TOOLS,
      signal: context.signal,
      began: () => context.began?.(),
      onText: (delta) => lines.push(delta),
    };
    await untilResumed(context, policy, deadlineAt, narration);
    try {
      return await timed(usage, () => model.ask(request));
    } catch (thrown) {
      context.signal.throwIfAborted();
      context.began?.(); // an answer, too: how long it is tried again has limits of its own
      // Other agents of the account would be refused as well, in whatever process they are.
      if (thrown instanceof ModelError && thrown.kind === 'refused' && thrown.retryAfterMs !== undefined) {
        const limit = limitOf(thrown, shorten(context.redact(thrown.message), 300));
        if (limit) await context.limits?.limited(limit);
      }
      const decision = decideRetry(thrown, tried, deadlineAt - performance.now(), Math.random(), policy);
      if (decision.kind === 'give-up') {
        const kind = thrown instanceof ModelError ? thrown.kind : 'failed';
        const { retryAfterMs } = thrown instanceof ModelError ? thrown : {};
        throw new ModelError(kind, decision.why, { retryAfterMs, cause: thrown });
      }
      lines.end();
      narration.detail(
        `${shorten((thrown as Error).message)}; trying again in ${Math.ceil(decision.waitMs / 1000)} s (${tried} of ${policy.maxTries - 1})`,
      );
      await delay(decision.waitMs, undefined, { signal: context.signal });
    } finally {
      lines.end();
    }
  }
}

/** Another agent of the account was refused: nobody asks again before its time. Rejects where that is too long to wait for. */
async function untilResumed(
  context: AgentContext,
  policy: RetryPolicy,
  deadlineAt: number,
  narration: Narration,
): Promise<void> {
  for (let told = false; ; told = true) {
    const pausedMs = context.limits?.pausedMs();
    if (pausedMs === undefined) return;
    context.began?.();
    if (pausedMs > policy.maxRetryAfterMs || pausedMs >= deadlineAt - performance.now()) {
      throw new ModelError('refused', 'its account is paused', { retryAfterMs: pausedMs });
    }
    if (!told) narration.detail(`its account is paused for ${Math.ceil(pausedMs / 1000)} s`);
    await delay(Math.max(1, Math.ceil(pausedMs)), undefined, { signal: context.signal });
  }
}

/** Waits between tries are not the model's time. */
async function timed<T>(usage: Usage, body: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await body();
  } finally {
    usage.modelMs = (usage.modelMs ?? 0) + Math.round(performance.now() - startedAt);
  }
}

function count(usage: Usage, answer: ModelAnswer): void {
  usage.rounds += 1;
  usage.inputTokens += answer.inputTokens;
  usage.outputTokens += answer.outputTokens;
  if (answer.costUsd !== undefined) usage.costUsd = (usage.costUsd ?? 0) + answer.costUsd;
}

/** One after the other: a model that edits and tests in one answer means them in this order. */
async function callTools(
  answer: ModelAnswer,
  context: AgentContext,
  narration: Narration,
  usage: Usage,
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (const call of answer.calls) {
    if (answer.stop === 'length') {
      // The last call may lack its end, and half a file is worse than none.
      const text = 'Your answer was cut at the output limit, so nothing of it was done. Use smaller steps.';
      results.push({ id: call.id, name: call.name, text, failed: true });
      continue;
    }
    const startedAt = performance.now();
    usage.toolCalls += 1;
    const { verb, object } = describeCall(call);
    narration.act(verb, shorten(object));
    const result = await runTool(call, context);
    usage.toolMs = (usage.toolMs ?? 0) + Math.round(performance.now() - startedAt);
    context.signal.throwIfAborted();
    if (result.failed) narration.detail(shorten(result.text, 200));
    results.push(result);
  }
  return results;
}
