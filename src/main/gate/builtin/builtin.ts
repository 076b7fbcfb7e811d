import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GateStep, StepResult } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import { git, gitList } from '../../git/git.ts';
import { patchPath } from '../../git/patch-path.ts';
import { readCommitText } from '../policy/commit-files.ts';
import { checkDataFiles } from './data-files.ts';
import { type FrontMatterRule, frontMatterRules } from './front-matter.ts';
import { checkMarkdown } from './markdown.ts';
import { checkMergeMarkers } from './merge-markers.ts';
import { BUILTIN_NAMES, builtinName } from './names.ts';
import type { BuiltinResult, BuiltinTree } from './problems.ts';
import { checkSecrets } from './secrets.ts';

const BUILTINS: Readonly<
  Record<
    (typeof BUILTIN_NAMES)[number],
    (tree: BuiltinTree, rules: readonly FrontMatterRule[]) => BuiltinResult
  >
> = {
  markdown: checkMarkdown,
  'data-files': checkDataFiles,
  'merge-markers': checkMergeMarkers,
  secrets: checkSecrets,
};
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const SHOWN = 200;

function readTree(cwd: string): Pick<BuiltinTree, 'read'> {
  return {
    read(path) {
      const file = join(cwd, path);
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (!found?.isFile() || found.size > MAX_FILE_BYTES) return undefined;
      const bytes = readFileSync(file);
      // Binary files hold NUL bytes; what is not UTF-8 is not for these steps.
      if (bytes.subarray(0, 8000).includes(0)) return undefined;
      return bytes.toString('utf8');
    },
  };
}

async function addedLines(cwd: string, base: string): Promise<Map<string, { line: number; text: string }[]>> {
  const { stdout } = await git(
    [
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--unified=0',
      '--text',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      base,
      'HEAD',
      '--',
    ],
    { cwd },
  );
  const added = new Map<string, { line: number; text: string }[]>();
  let file: string | undefined;
  let line = 0;
  for (const row of stdout.split('\n')) {
    if (row.startsWith('+++ ')) file = patchPath(row);
    else if (row.startsWith('@@')) line = Number(/\+(\d+)/.exec(row)?.[1] ?? 1);
    else if (row.startsWith('+') && file !== undefined) {
      added.set(file, [...(added.get(file) ?? []), { line, text: row.slice(1) }]);
      line += 1;
    }
  }
  return added;
}

/** Runs a built-in step (see `builtinThread`) over the tracked files at `cwd`. `base`: the commit whose differences count as added. */
export async function runBuiltin(
  step: GateStep,
  options: { cwd: string; base?: string | undefined; say: (text: string) => void },
): Promise<StepResult> {
  const startedAt = performance.now();
  const name = builtinName(step.command) ?? '';
  const known = BUILTIN_NAMES.find((each) => each === name);
  const done = (verdict: StepResult['verdict'], reason: string, output = ''): StepResult => ({
    name: step.name,
    command: step.command,
    exit: verdict === 'green' ? 0 : 1,
    ms: performance.now() - startedAt,
    verdict,
    reason,
    evidence: { outputBytes: Buffer.byteLength(output) },
    tail: output.slice(-4000),
  });
  if (!known)
    return done('broken', `there is no built-in step ${name}; there are ${BUILTIN_NAMES.join(', ')}`);
  const within = step.dir === undefined ? '' : `${step.dir.replace(/^\.\//, '').replace(/\/$/, '')}/`;
  const all = await gitList(['ls-files', '-z', '--full-name'], { cwd: options.cwd });
  const added = options.base === undefined ? undefined : await addedLines(options.cwd, options.base);
  let rules: FrontMatterRule[];
  try {
    // What is right is said by the base, not by the change.
    rules = await frontMatterRules(step, (path) => readCommitText(options.cwd, options.base ?? 'HEAD', path));
  } catch (thrown) {
    return done('broken', toError(thrown).message);
  }
  const { problems, looked, count } = BUILTINS[known](
    {
      files: all.filter((path) => path.startsWith(within)).sort(),
      ...readTree(options.cwd),
      added: added && new Map([...added].filter(([path]) => path.startsWith(within))),
    },
    rules,
  );
  const lines = problems.slice(0, SHOWN).map(({ path, line, message }) => `${path}:${line}: ${message}`);
  if (problems.length > SHOWN) lines.push(`and ${problems.length - SHOWN} more`);
  const output = lines.map((line) => `${line}\r\n`).join('');
  options.say(output);
  if (problems.length > 0)
    return done('red', `${problems.length} problem${problems.length === 1 ? '' : 's'} in ${looked}`, output);
  if (count === 0) return done('vacuous', `there was nothing to look at (${looked})`);
  return done('green', `${looked}, no problem`);
}
