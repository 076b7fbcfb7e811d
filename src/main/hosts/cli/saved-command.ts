import type { KeptWork } from '../../../shared/contract.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { identify } from '../../repositories/identify.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

const PREFIX = 'refs/headway/';
const short = (ref: string): string => (ref.startsWith(PREFIX) ? ref.slice(PREFIX.length) : ref);

async function list({ api }: Engine, repoId?: string): Promise<KeptWork[]> {
  const params = repoId === undefined ? {} : { repoId };
  return (await api.handlers['kept.list'](params, { kind: 'in-process' })).kept;
}

function filesOf({ fileCount, files }: KeptWork): string {
  const count = `${fileCount} ${fileCount === 1 ? 'file' : 'files'}`;
  const more = fileCount > 3 ? ' …' : '';
  return fileCount === 0 ? count : `${count}: ${files.slice(0, 3).join(', ')}${more}`;
}

/** By ref, whole or short, or the newest of a job or ticket. */
async function find(engine: Engine, name: string): Promise<KeptWork> {
  const kept = await list(engine);
  const found =
    kept.find((each) => each.ref === name || short(each.ref) === name) ??
    kept.find((each) => each.jobId === name || each.ticketId === name);
  if (found) return found;
  throw new HeadwayError('not-found', `No work of ${name} is saved; \`headway saved --all\` lists what is.`);
}

/** `headway saved`: what attempts and sessions made. */
export async function savedCommand(
  options: { repo?: string; all?: boolean },
  output: Output,
): Promise<number> {
  const repoId = options.repo === undefined ? undefined : (await identify(options.repo)).id;
  return looking(async (engine) => {
    if (repoId !== undefined) engine.parts.repositories.need(repoId);
    const kept = (await list(engine, repoId)).filter((each) => options.all || !each.landed);
    output.data({ type: 'saved', saved: kept, kept }); // `kept`: the field's old name, for one version
    const rows = kept.map((each) => [
      short(each.ref),
      new Date(each.at).toISOString().slice(0, 16).replace('T', ' '),
      each.ticketId ?? '',
      each.landed ? 'landed' : (each.state ?? ''),
      filesOf(each),
    ]);
    output.say(rows.length === 0 ? 'All saved work is merged.' : table(rows));
    if (rows.length > 0) output.say('\n`headway saved recover REF --branch NAME` makes a branch of one.');
    return EXIT.ok;
  });
}

/** `headway saved recover`: a new branch in the user's repository. */
export function recoverCommand(name: string, options: { branch: string }, output: Output): Promise<number> {
  return looking(async (engine) => {
    const { repoId, ref } = await find(engine, name);
    const params = { repoId, ref, branch: options.branch };
    const made = await engine.api.handlers['kept.recover'](params, { kind: 'in-process' });
    output.data({ type: 'recovered', ref, ...made });
    output.say(`${short(ref)} is branch ${made.branch} now, at ${made.commit.slice(0, 10)}.`);
    return EXIT.ok;
  });
}

export function dropCommand(name: string, output: Output): Promise<number> {
  return looking(async (engine) => {
    const { repoId, ref, commit } = await find(engine, name);
    await engine.api.handlers['kept.drop']({ repoId, ref }, { kind: 'in-process' });
    output.data({ type: 'dropped', ref, commit });
    output.say(`${short(ref)} is deleted; its commit was ${commit}.`);
    return EXIT.ok;
  });
}
