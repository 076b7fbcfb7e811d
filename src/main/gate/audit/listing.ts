import { realpathSync } from 'node:fs';
import { delimiter, join, relative, sep } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../../processes/environment.ts';
import { run } from '../../processes/run.ts';
import type { Facts } from './facts.ts';
import { type Invocation, openWords } from './invocations.ts';
import { isTestSource, type TestFact } from './test-facts.ts';

/** A tree with its dependencies installed, and the environment of gate steps, in which a runner may be asked. */
export type ListingPlace = {
  cwd: string;
  env: Environment;
  /** How long each runner may take. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
};

const LIST_TIMEOUT_MS = 120_000;
const listed = z.array(
  z.union([z.string(), z.looseObject({ file: z.string() }).transform(({ file }) => file)]),
);

/** The runner's arguments that would list instead of run; undefined where it has no listing. */
function listArguments(invocation: Invocation): string[] | undefined {
  if (openWords(invocation) !== undefined) return undefined;
  const kept = invocation.args.filter(
    (arg) =>
      !/^(run|watch|dev|--watch.*|--ci|--passWithNoTests|--coverage.*|--reporters?(=.*)?|--silent|--verbose|--run)$/.test(
        arg,
      ),
  );
  if (invocation.program === 'vitest') return ['list', '--filesOnly', '--json', ...kept];
  return invocation.program === 'jest' ? ['--listTests', '--json', ...kept] : undefined;
}

/** Exit codes of what was killed from outside, such as for lack of memory. */
const KILLED = [137, 143];

/** The files that the runner names; `silent` where it was ended before it could; undefined where it has no list or refuses it. */
async function listTests(
  invocation: Invocation,
  place: ListingPlace,
): Promise<Set<string> | 'silent' | undefined> {
  const args = listArguments(invocation);
  if (!args) return undefined;
  const cwd = join(place.cwd, invocation.dir);
  const bins = [cwd, place.cwd].map((dir) => join(dir, 'node_modules', '.bin'));
  const result = await run({
    command: { file: invocation.program, args },
    cwd,
    env: { ...place.env, CI: '1', PATH: [...bins, place.env.PATH ?? ''].join(delimiter) },
    timeoutMs: place.timeoutMs ?? LIST_TIMEOUT_MS,
    ...(place.signal ? { signal: place.signal } : {}),
  });
  if (result.status === 'timed-out' || KILLED.includes(result.exit)) return 'silent';
  if (result.status !== 'exited' || result.exit !== 0) return undefined;
  const start = result.stdout.indexOf('[');
  const checked = listed.safeParse(parse(start < 0 ? '' : result.stdout.slice(start)));
  if (!checked.success) return undefined;
  const top = realpathSync(place.cwd);
  return new Set(checked.data.map((path) => relative(top, path).split(sep).join('/')));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Asks the runners whose configuration could not be read what they would run. Their configuration is executed then, in the
 * slot and with the environment of gate steps, which holds none of the user's credentials.
 */
export async function withListings(facts: Facts, place: ListingPlace): Promise<Facts> {
  const tests = await Promise.all(
    facts.gate.tests.map(async (fact): Promise<TestFact> => {
      if (fact.unread === undefined) return fact;
      const collected = await listTests(fact.invocation, place);
      if (!collected) return fact;
      // On a busy machine it would be as good as a list of everything.
      if (collected === 'silent') return { ...fact, silent: true };
      const { unread: _unread, ...known } = fact;
      const lost = facts.files.filter((path) => isTestSource(path) && !collected.has(path));
      return { ...known, collected, leftOut: new Map(lost.map((path) => [path, 'not in its own list'])) };
    }),
  );
  return { ...facts, gate: { ...facts.gate, tests } };
}
