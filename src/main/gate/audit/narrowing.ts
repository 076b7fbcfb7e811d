import type { Finding } from '../../../shared/gate-report.ts';
import type { Facts } from './facts.ts';
import type { Invocation } from './invocations.ts';
import { isOtherTestRun, isTestRun } from './test-facts.ts';
import { option, options } from './test-paths.ts';

type Narrowing = { by: readonly string[]; share?: string; turned?: readonly string[] };

/** Options with which runners take only some of their tests, whichever file they are in. */
const RUNNERS: Readonly<Record<string, Narrowing>> = {
  vitest: { by: ['-t', '--testNamePattern'], share: '--shard' },
  jest: { by: ['-t', '--testNamePattern'], share: '--shard' },
  mocha: { by: ['-g', '--grep', '-f', '--fgrep'], turned: ['-i', '--invert'] },
  playwright: { by: ['-g', '--grep'], share: '--shard' },
  node: { by: ['--test-name-pattern'], share: '--test-shard' },
  pytest: { by: ['-k'] },
  ava: { by: ['-m', '--match'] },
};

/** How a run is narrowed, in the words of its command; undefined where it is not. */
function narrowed({
  program,
  args,
}: Invocation): { said: string; share: boolean; turned: boolean } | undefined {
  const known = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined;
  if (known === undefined) return undefined;
  const share = known.share === undefined ? undefined : option(args, known.share);
  if (share !== undefined) return { said: share, share: true, turned: false };
  const [pattern] = options(args, ...known.by);
  if (pattern === undefined) return undefined;
  const turned = known.turned?.some((each) => args.includes(each)) === true || /^not /.test(pattern);
  return { said: pattern, share: false, turned };
}

/**
 * Runs of tests that take only those of some name, or a share of them, where no other run of the gate takes the rest. What leaves out by
 * name (`not slow`) is a choice that somebody made about tests, and does not hide work.
 */
export function narrowedRuns({ gate }: Pick<Facts, 'gate'>): Finding[] {
  const runs = gate.invocations.filter((each) => isTestRun(each) || isOtherTestRun(each));
  return runs.flatMap((run): Finding[] => {
    const how = narrowed(run);
    if (how === undefined) return [];
    const others = runs.filter(
      (each) => each !== run && each.program === run.program && each.dir === run.dir,
    );
    const rest = others.map(narrowed);
    if (rest.includes(undefined)) return [];
    const shares = [how, ...rest].flatMap((each) => (each?.share ? [each.said] : []));
    if (how.share && new Set(shares).size >= Number(how.said.split('/')[1] ?? 1)) return [];
    const complement = rest.some((each) => each?.said === how.said && each.turned !== how.turned);
    if (complement) return [];
    const hides = how.share || (!how.turned && others.length === 0);
    return [
      {
        kind: 'tests-narrowed',
        severity: hides ? 'error' : 'warning',
        title: `step ${run.step} runs only ${how.share ? `the share ${how.said} of its tests` : `tests by name (${how.said})`}`,
        files: [],
        why: `${[run.program, ...run.args].join(' ')}: the other tests can fail and the gate stays green`,
        fix: {
          kind: 'advice',
          text: 'take the option out, add a step for the rest, or accept it with a reason',
        },
        hidesWork: hides,
      },
    ];
  });
}
