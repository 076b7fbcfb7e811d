import type { AttemptSpace } from './agent-stage.ts';
import type { AttemptRecord } from './attempt-record.ts';
import { failed } from './ending.ts';

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
  if (result.kind === 'failed') throw failed({ code: 'install-failed', why: result.why });
}
