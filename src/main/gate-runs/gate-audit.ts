import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Repository } from '../../shared/domain.ts';
import { HeadwayError, toError } from '../../shared/errors.ts';
import type { Audit, Finding } from '../../shared/gate-report.ts';
import type { Acceptance } from '../gate/audit/accept.ts';
import { policyWithAcceptance, policyWithSteps, stepsToAdd } from '../gate/audit/apply-fix.ts';
import { policyAt } from '../gate/policy/commit-files.ts';
import type { ResolvedPolicy } from '../gate/policy/policy.ts';
import { readUserPolicy, userPolicyPath } from '../gate/policy/user-policy.ts';
import { gateThread } from '../gate/thread/gate-thread.ts';
import { resolveCommit } from '../git/git.ts';
import { inTurn } from '../landing/in-turn.ts';
import { layoutOf } from '../paths/layout.ts';
import { chooseBase } from '../repositories/base-branch.ts';
import { identify } from '../repositories/identify.ts';
import type { Home } from '../settings/home.ts';

type Place = Pick<Repository, 'id' | 'path' | 'name'> & { base?: string };

const alone = (path: string, finding: Finding): Audit => ({
  path,
  name: path.split(/[\\/]/).at(-1) ?? path,
  gateSource: 'none',
  steps: [],
  findings: [finding],
  areas: [],
  proposals: [],
});

/**
 * Audits the gate of the repository at a path, registered or not, as it stands at the tip of its base branch. Error
 * `bad-input` where there is no such directory, `cancelled` when the signal aborts; all else is a finding.
 */
export async function auditPath(
  home: Home,
  path: string,
  base?: string,
  signal?: AbortSignal,
): Promise<Audit> {
  let place: Place;
  try {
    place = await identify(path);
  } catch (thrown) {
    if (!(thrown instanceof HeadwayError) || thrown.code !== 'not-a-repository') throw thrown;
    return alone(path, {
      kind: 'not-a-work-tree',
      severity: 'error',
      title: 'it is no git work tree',
      files: [],
      why: `no slot can be made of it, so every job would fail: ${thrown.message}`,
      fix: { kind: 'advice', text: 'run git init and commit there, or remove it from Headway' },
      hidesWork: true,
    });
  }
  return auditRepository(home, { ...place, ...(base === undefined ? {} : { base }) }, signal);
}

async function auditRepository(home: Home, place: Place, signal?: AbortSignal): Promise<Audit> {
  const found = await policyOf(home, place);
  if ('problem' in found) return { ...alone(place.path, found.problem), name: place.name, repoId: place.id };
  return {
    path: place.path,
    name: place.name,
    repoId: place.id,
    commit: found.commit,
    ...(await gateThread.ask(
      'audit',
      {
        cwd: place.path,
        commit: found.commit,
        clone: place.path,
        policy: found.policy,
        slotRoot: slotRootOf(home, place.id),
      },
      { signal },
    )),
  };
}

const slotRootOf = (home: Home, repoId: string): string => layoutOf(home.slots, repoId).directory;

async function policyOf(
  home: Home,
  place: Place,
): Promise<{ commit: string; policy: ResolvedPolicy } | { problem: Finding }> {
  const base = place.base ?? (await chooseBase(place));
  const commit = await resolveCommit(place.path, `refs/heads/${base}`);
  if (commit === undefined) throw new HeadwayError('bad-input', `${place.path} has no branch ${base}`);
  try {
    const userPolicy = await readUserPolicy(home.root, place.id);
    return {
      commit,
      policy: await policyAt({
        cwd: place.path,
        commit,
        ...(userPolicy === undefined ? {} : { userPolicy }),
      }),
    };
  } catch (thrown) {
    return {
      problem: {
        kind: 'policy-unreadable',
        severity: 'error',
        title: 'its policy can not be read',
        files: [],
        why: `no job of it can be judged: ${toError(thrown).message}`,
        fix: { kind: 'advice', text: 'correct the line that is named' },
        hidesWork: true,
      },
    };
  }
}

/**
 * Adds to the user's own policy what `--fix` may change: the steps that the audit proposes, or those with the command lines
 * `runs`. Returns what was added; nothing where nothing can be mended that way.
 */
export async function fixPolicy(
  home: Home,
  audit: Audit,
  runs?: readonly string[],
): Promise<{ file: string; added: { name: string; run: string }[]; hash?: string; hashBefore?: string }> {
  if (audit.repoId === undefined) return { file: '', added: [] };
  const { repoId } = audit;
  const place = { id: repoId, path: audit.path, name: audit.name };
  const file = userPolicyPath(home.root, repoId);
  return inTurn(file, async () => {
    const found = await policyOf(home, place);
    if ('problem' in found) return { file, added: [] };
    const proposed = stepsToAdd(audit.findings, found.policy.gate);
    const added = proposed.filter(({ run }) => runs === undefined || runs.includes(run));
    if (added.length === 0) return { file, added };
    const text = await readUserPolicy(home.root, repoId);
    await writePolicy(file, policyWithSteps(text, found.policy.gate, added));
    const after = await policyOf(home, place);
    if ('problem' in after) return { file, added };
    return { file, added, hash: after.policy.hash, hashBefore: found.policy.hash };
  });
}

/** Accepts a finding in the user's own policy. */
export async function acceptFinding(home: Home, repoId: string, acceptance: Acceptance): Promise<void> {
  const file = userPolicyPath(home.root, repoId);
  await inTurn(file, async () => {
    const text = await readUserPolicy(home.root, repoId);
    await writePolicy(file, policyWithAcceptance(text, acceptance));
  });
}

/** Beside and renamed: a policy that is half written would decide about nothing. Another process writes beside under its own name. */
async function writePolicy(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}.new`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(next, text);
  await rename(next, file);
}
