/** A conversation with a model in no provider's form. */

export type ToolCall = { id: string; name: string; input: unknown };
export type ToolResult = { id: string; name: string; text: string; failed: boolean };
export type Turn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: ToolCall[]; native?: unknown }
  | { role: 'tools'; results: ToolResult[] };

/** Code and JSON take fewer characters a token than prose; too low a number cuts early, too high a one overruns. */
const CHARACTERS_PER_TOKEN = 3.2;
/** Below this a cut saves nothing. */
const WORTH_CUTTING_CHARACTERS = 400;
/** What the model has just seen is what it works with. */
const KEPT_RESULT_TURNS = 2;
/** Cutting well below the limit, and so seldom: each cut makes the provider read the conversation anew. */
const AIM = 0.6;

const turnCharacters = (turn: Turn): number => {
  switch (turn.role) {
    case 'user':
      return turn.text.length;
    case 'assistant':
      return turn.text.length + turn.calls.reduce((sum, call) => sum + inputCharacters(call.input), 0);
    case 'tools':
      return turn.results.reduce((sum, result) => sum + result.text.length, 0);
  }
};
const inputCharacters = (input: unknown): number => JSON.stringify(input)?.length ?? 0;

/** Pure: about how many tokens these turns are. */
export function estimateTokens(turns: readonly Turn[]): number {
  return Math.ceil(turns.reduce((sum, turn) => sum + turnCharacters(turn), 0) / CHARACTERS_PER_TOKEN);
}

export type Trimmed = { turns: Turn[]; cutResults: number; cutCharacters: number; fits: boolean };

/**
 * Pure: the conversation within `budgetTokens`. Too long, it loses the oldest tool results first and then the long
 * texts in the oldest tool calls, and what is cut says so in its place. The task and the last results stay.
 */
export function trimConversation(turns: readonly Turn[], budgetTokens: number): Trimmed {
  const limit = budgetTokens * CHARACTERS_PER_TOKEN;
  let size = turns.reduce((sum, turn) => sum + turnCharacters(turn), 0);
  const trimmed: Trimmed = { turns: [...turns], cutResults: 0, cutCharacters: 0, fits: true };
  if (size <= limit) return trimmed;
  const before = size;
  const resultTurns = turns.flatMap((turn, index) => (turn.role === 'tools' ? [index] : []));
  const firstKept = resultTurns.at(-KEPT_RESULT_TURNS) ?? turns.length;
  const passes = [cutResults, cutCalls];
  for (const pass of passes) {
    for (let index = 0; index < firstKept && size > limit * AIM; index += 1) {
      const turn = trimmed.turns[index] as Turn;
      const { turn: shorter, cut } = pass(turn);
      if (cut === 0) continue;
      size -= turnCharacters(turn) - turnCharacters(shorter);
      trimmed.turns[index] = shorter;
      trimmed.cutResults += cut;
    }
  }
  trimmed.cutCharacters = before - size;
  trimmed.fits = size <= limit;
  return trimmed;
}

function cutResults(turn: Turn): { turn: Turn; cut: number } {
  if (turn.role !== 'tools') return { turn, cut: 0 };
  let cut = 0;
  const results = turn.results.map((result) => {
    if (result.text.length <= WORTH_CUTTING_CHARACTERS) return result;
    cut += 1;
    return { ...result, text: cutMark(result.text.length, 'Call the tool again if you need it.') };
  });
  return { turn: { ...turn, results }, cut };
}

function cutCalls(turn: Turn): { turn: Turn; cut: number } {
  if (turn.role !== 'assistant') return { turn, cut: 0 };
  let cut = 0;
  const calls = turn.calls.map((call) => {
    if (typeof call.input !== 'object' || call.input === null) return call;
    const input = Object.fromEntries(
      Object.entries(call.input).map(([key, value]) => {
        if (typeof value !== 'string' || value.length <= WORTH_CUTTING_CHARACTERS) return [key, value];
        cut += 1;
        return [key, cutMark(value.length, 'It was used in full.')];
      }),
    );
    return { ...call, input };
  });
  return { turn: { ...turn, calls }, cut };
}

const cutMark = (characters: number, note: string): string =>
  `[${characters} characters were here and are left out to save room. ${note}]`;
