import type { AttemptRecord } from '../attempt-record.ts';
import { failed, retry } from '../ending.ts';
import type { AttemptSpace } from './agent-stage.ts';

/** Brings the slot's dependencies to what the checked-out tree asks for; nothing to do where the key is the same. */
export async function installStage(
  record: AttemptRecord,
  space: AttemptSpace,
  maxInstalls: number,
): Promise<void> {
  await record.enter('install');
  const result = await space.slot.install({
    output: (bytes) => space.pane.write(bytes),
    signal: space.signal,
    onWait: () => record.says({ code: 'waits-for-install', limit: maxInstalls }),
  });
  space.signal.throwIfAborted();
  if (result.kind !== 'failed') return;
  if (isUnreachable(result.why))
    throw retry({ code: 'install-unreachable', why: result.why }, record.job.work);
  throw failed({ code: 'install-failed', why: result.why });
}

/** The codes by which package managers and Node tell that a server was not reached or not able. */
const UNREACHABLE =
  /\b(E(AI_AGAIN|NOTFOUND|CONNRE(SET|FUSED)|TIMEDOUT|PIPE|NETUNREACH|HOSTUNREACH)|ERR_SOCKET_TIMEOUT|E(429|50[0234])|ERR_PNPM_(META_FETCH_FAIL|FETCH_(429|50\d))|UND_ERR_\w+)\b|npm error network|network (error|timeout)|socket hang up/i;

/** Pure: whether an install failed for want of a network, so that another try may do. */
export function isUnreachable(why: string): boolean {
  return UNREACHABLE.test(why);
}
