import { resetTimeIn } from './reset-time.ts';

/** An account takes no more work for now. `resetAt`: when it does again, where that was said. */
export type UsageLimit = { why: string; resetAt?: number };

/** The words of a refusal stand at the end of a program's output; what stands before may be the work itself. */
const LINES_READ = 8;
const WORDS_KEPT = 300;

const LIMIT = new RegExp(
  [
    String.raw`\busage[ _-]limit`,
    String.raw`\bhit (?:your|the|its) (?:[\w-]+ ){0,3}limit\b`,
    String.raw`\b(?:5-hour|hourly|daily|weekly|monthly|session|spend(?:ing)?|opus|sonnet|request|token)s? limit (?:has been |was )?(?:reached|exceeded|hit)`,
    String.raw`\brate[ _-]limit(?:ed\b|s?[ _-](?:error|exceeded|reached|hit)|s? (?:has|have|was|were) been|s? was)`,
    String.raw`\bexceed(?:s|ed)? (?:your|the) (?:[\w']+ ){0,3}(?:rate limit|quota)`,
    String.raw`\btoo many requests\b`,
    String.raw`\b(?:HTTP|status|code|error)\b\W{0,5}429\b`,
    String.raw`\b429\b\W{0,3}(?:\{|too many|rate|resource)`,
    String.raw`\bquota (?:has been |was )?(?:exceeded|exhausted|reached)`,
    String.raw`\bexhausted your (?:[\w']+ ){0,2}(?:capacity|quota)`,
    String.raw`\binsufficient_quota\b`,
    String.raw`\bRESOURCE_EXHAUSTED\b`,
    String.raw`\bout of (?:extra )?(?:usage|credits)\b`,
    String.raw`\bcredit balance is too low\b`,
    // Not the account's fault, but its servers' for everybody who uses it.
    String.raw`\boverloaded_error\b`,
    String.raw`\b(?:server|model|service|API) is (?:currently )?overloaded\b`,
    String.raw`\b529\b\W{0,3}(?:\{|overloaded)`,
  ].join('|'),
  'i',
);

/**
 * Pure: what the end of a program's output, or a server's message, says of a usage limit. Undefined: nothing of one.
 * Times of day without a zone are those of this machine.
 */
export function usageLimitIn(text: string, nowMs: number): UsageLimit | undefined {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .slice(-LINES_READ);
  const at = lines.findLastIndex((line) => LIMIT.test(line));
  if (at < 0) return undefined;
  // A sentence may be wrapped, and the time may stand in a line of its own.
  const resetAt =
    resetTimeIn(lines.slice(at).join(' '), nowMs) ?? resetTimeIn(lines.slice(0, at).join(' '), nowMs);
  const why = (lines[at] ?? '').slice(0, WORDS_KEPT);
  return resetAt === undefined ? { why } : { why, resetAt };
}
