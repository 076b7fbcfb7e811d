import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Exec } from './exec.ts';
import { hresultOf, parseCheckExclusion, texts } from './parse-windows.ts';
import { powershell } from './windows.ts';
import { exclusionAnswer, exclusionProblem } from './windows-exclusions.ts';
import { encodeScript, helperScript, launchScript, POWERSHELL_FLAGS } from './windows-scripts.ts';

export type FixOutcome = { done: boolean; text: string };

/** A person has to read and answer the prompt. */
const PROMPT_LIMIT_MS = 5 * 60_000;
const PROMPT_REFUSED = 1223;

const launchSchema = z.object({
  launched: z.boolean(),
  native: z.number().optional(),
  id: z.string().optional(),
});
const resultSchema = z.object({
  v: z.literal(1),
  elevated: z.boolean().nullish(),
  added: z.boolean(),
  before: texts,
  after: texts,
  check: z.number().nullish(),
  long: z.number().nullish(),
  error: z.string().nullish(),
});

/** Does what was asked as administrator, once, and says what was read back. Windows asks the person. */
export async function runHelper(
  request: { exclude?: string; longPaths?: true },
  exec: Exec,
): Promise<FixOutcome> {
  const problem = request.exclude === undefined ? undefined : exclusionProblem(request.exclude);
  if (problem) return { done: false, text: `${request.exclude} is not excluded: ${problem}` };
  const dir = await mkdtemp(join(tmpdir(), 'headway-doctor-'));
  try {
    const result = join(dir, 'result.json');
    const script = launchScript(helperScript({ ...request, result }));
    const launched = await exec(powershell(), [...POWERSHELL_FLAGS, encodeScript(script)], {
      timeoutMs: PROMPT_LIMIT_MS,
    });
    const refused = launchProblem(launched?.stdout);
    if (refused) return { done: false, text: refused };
    return readResult(await readFile(result, 'utf8').catch(() => ''), request);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function parse<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return schema.safeParse(JSON.parse((text ?? '').trim().replace(/^\ufeff/, ''))).data;
  } catch {
    return undefined;
  }
}

/** Pure: why the helper did not run; undefined where it did. By number, since its words are translated. */
export function launchProblem(stdout: string | undefined): string | undefined {
  const launch = parse(launchSchema, stdout);
  if (!launch) return 'Windows did not start the helper, or it did not end in five minutes';
  if (launch.launched) return undefined;
  if (launch.native === PROMPT_REFUSED) return 'you said no when Windows asked; nothing was changed';
  return `Windows did not start the helper (error ${launch.native ?? 0})`;
}

/** Pure: what the helper saw, as an outcome. Only what was read back counts, never that adding went without an error. */
export function readResult(text: string, request: { exclude?: string; longPaths?: true }): FixOutcome {
  const result = parse(resultSchema, text);
  if (!result) return { done: false, text: 'the helper left no result; nothing is known of what it did' };
  if (request.longPaths) {
    return result.long === 1
      ? { done: true, text: 'long paths are on; start Headway and terminals anew' }
      : { done: false, text: `long paths are not on (${result.error ?? 'they read back as before'})` };
  }
  const path = request.exclude ?? '';
  const elevated = result.elevated === true;
  const listed = exclusionAnswer(result.after, path, { elevated, hidden: undefined });
  const answer = listed.known ? listed : parseCheckExclusion(result.check, elevated);
  if (answer.known && answer.value) {
    return { done: true, text: `${path} is excluded${result.added ? '' : ', and was before'}` };
  }
  if (result.error) {
    const code = hresultOf(result.error) ?? result.error;
    return { done: false, text: `Defender refused (${code}); ${path} is not known to be excluded` };
  }
  if (answer.known) {
    return {
      done: false,
      text: `Windows took the entry and did not keep it: exclusions are managed by a policy or by tamper protection`,
    };
  }
  return { done: false, text: `the entry was added, but ${listed.known ? answer.why : listed.why}` };
}
