import type { Usage } from '../../shared/domain.ts';

/** The numbers of an agent's work in one line. */
export function usageLine(usage: Usage): string {
  const parts = [
    `${usage.rounds} ${usage.rounds === 1 ? 'round' : 'rounds'}`,
    `${usage.toolCalls} tool ${usage.toolCalls === 1 ? 'call' : 'calls'}`,
    `${usage.inputTokens} tokens in`,
    `${usage.outputTokens} out`,
  ];
  if (usage.costUsd !== undefined) parts.push(`$${usage.costUsd.toFixed(4)}`);
  return parts.join(' · ');
}
