/** List prices in US dollars for a million tokens, as published in November 2026. */
type Price = { input: number; output: number };

/** By the start of a model's name, the longest first. A model that is not here has no known cost. */
const PRICES: readonly [string, Price][] = [
  ['claude-fable-5-1', { input: 10, output: 50 }],
  ['claude-opus-5-5', { input: 4, output: 20 }],
  ['claude-sonnet-5-5', { input: 2, output: 10 }],
  ['claude-opus-5', { input: 5, output: 25 }],
  ['claude-sonnet-5', { input: 2, output: 10 }],
  ['claude-opus-4-8', { input: 5, output: 25 }],
  ['claude-opus-4-7', { input: 5, output: 25 }],
  ['claude-opus-4-6', { input: 5, output: 25 }],
  ['claude-opus-4-5', { input: 5, output: 25 }],
  ['claude-sonnet-4-6', { input: 3, output: 15 }],
  ['claude-sonnet-4-5', { input: 3, output: 15 }],
  ['claude-haiku-4-5', { input: 1, output: 5 }],
];
const CACHE_WRITE = 1.25;
const CACHE_READ = 0.1;

export type ClaudeTokens = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
};

/** Pure: what a message costs by list price, in US dollars; undefined for a model without a known one. */
export function claudeCostUsd(model: string, tokens: ClaudeTokens): number | undefined {
  const price = PRICES.find(([name]) => model === name || model.startsWith(`${name}-2`))?.[1];
  if (!price) return undefined;
  const input =
    tokens.input_tokens +
    (tokens.cache_creation_input_tokens ?? 0) * CACHE_WRITE +
    (tokens.cache_read_input_tokens ?? 0) * CACHE_READ;
  return (input * price.input + tokens.output_tokens * price.output) / 1_000_000;
}
