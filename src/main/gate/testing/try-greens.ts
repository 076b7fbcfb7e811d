import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { GateResult } from '../../../shared/domain.ts';
import { childEnvironment } from '../../processes/environment.ts';
import { withHiddenWork } from '../audit/hidden-work.ts';
import { policyAt } from '../policy/commit-files.ts';
import { runGate } from '../run/run-gate.ts';
import { tamperedFiles } from '../tampering/check-tampering.ts';
import type { FakeGreen } from './green-case.ts';

const PROGRAMS = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules', '.bin');
const STEP_TIMEOUT_MS = 120_000;

/** The gate's verdict on a case: policy of the base commit, tampering, the steps for real, and the audit behind them. */
async function tryGreen(fake: FakeGreen): Promise<Pick<GateResult, 'verdict' | 'reason'>> {
  const root = mkdtempSync(join(tmpdir(), 'headway-fake-'));
  try {
    const git = (...args: string[]): string =>
      execFileSync(
        'git',
        [
          '-C',
          root,
          '-c',
          'user.name=T',
          '-c',
          'user.email=t@example.invalid',
          '-c',
          'core.hooksPath=/dev/null',
          ...args,
        ],
        { encoding: 'utf8' },
      ).trim();
    git('init', '-q', '-b', 'main');
    const commit = (files: NonNullable<FakeGreen['change']>): string => {
      for (const [path, text] of Object.entries(files)) {
        const file = join(root, path);
        if (text === undefined || typeof text !== 'string') rmSync(file, { force: true });
        if (typeof text === 'object') symlinkSync(text.link, file);
        else if (text !== undefined) {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
        }
      }
      git('add', '-A', '-f');
      git('commit', '-q', '-m', 'x', '--allow-empty');
      return git('rev-parse', 'HEAD');
    };
    const base = commit(fake.files);
    const head = fake.change ? commit(fake.change) : base;
    const policy = await policyAt({ cwd: root, commit: base, ...(fake.gate ? { override: fake.gate } : {}) });
    const touched = await tamperedFiles({ cwd: root, base, head, policy });
    if (touched.length > 0) return { verdict: 'tampered', reason: touched.join(', ') };
    const env = childEnvironment({ PATH: [PROGRAMS, process.env.PATH].join(delimiter), NODE_OPTIONS: '' });
    const result = await runGate({
      steps: policy.gate.map((step) => ({ ...step, timeoutMs: STEP_TIMEOUT_MS })),
      cwd: root,
      env,
      commit: head,
    });
    return await withHiddenWork(result, {
      cwd: root,
      commit: head,
      clone: root,
      policy,
      slotRoot: dirname(root),
      listIn: { cwd: root, env },
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Two at a time; calls back for each in order of ending. */
export async function tryAll(
  cases: readonly FakeGreen[],
  each: (fake: FakeGreen, outcome: Pick<GateResult, 'verdict' | 'reason'>) => void,
): Promise<void> {
  const waiting = [...cases];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      each(next, await tryGreen(next));
  };
  await Promise.all([worker(), worker()]);
}
